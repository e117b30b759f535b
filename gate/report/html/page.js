"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const findings = [...document.querySelectorAll("details.finding")];
  const form = document.querySelector("form.tools");
  const status = $("status");
  const texts = new Map();
  const text = (one) => {
    if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
    return texts.get(one);
  };
  const visible = () => findings.filter((one) => !one.hidden);
  const words = (value) => (value || "").split(" ");

  // Filters
  const value = (id) => ($(id) ? $(id).value : "");
  const filter = () => {
    const severities = new Set([...form.querySelectorAll("[name=severity]:checked")].map((one) => one.value));
    const sought = value("text").toLowerCase().trim();
    const fits = (one) =>
      severities.has(one.dataset.severity) &&
      (!value("family") || words(one.dataset.family).includes(value("family"))) &&
      (!value("invariant") || words(one.dataset.invariant).includes(value("invariant"))) &&
      (!value("state") || one.dataset.state === value("state")) &&
      (!sought || text(one).includes(sought));
    for (const one of findings) one.hidden = !fits(one);
    const shown = visible().length;
    $("count").textContent = `${shown} of ${findings.length} shown`;
    $("nothing").hidden = shown > 0;
  };
  const reset = () => {
    form.reset();
    filter();
  };

  // Moving about
  const go = (one) => {
    one.querySelector("summary").focus();
    one.scrollIntoView({ block: "nearest" });
  };
  const move = (by) => {
    const shown = visible();
    const at = shown.indexOf(document.activeElement.closest("details.finding"));
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (next) go(next);
  };
  const unfolded = () => visible().every((one) => one.open);
  const unfold = () => {
    const open = !unfolded();
    for (const one of visible()) one.open = open;
    $("unfold").textContent = open ? "Fold all" : "Unfold all";
  };
  const linked = () => {
    const one = findings.find((finding) => finding.id === decodeURIComponent(location.hash.slice(1)));
    if (!one) return;
    one.open = true;
    go(one);
  };

  // Copying: where a page has no clipboard of its own, a selection does it.
  const select = (code) => {
    getSelection().selectAllChildren(code);
    const done = document.execCommand("copy");
    getSelection().removeAllRanges();
    return done;
  };
  const write = (code) =>
    navigator.clipboard
      ? navigator.clipboard.writeText(code.textContent).then(() => true, () => select(code))
      : Promise.resolve(select(code));
  const copy = async (button) => {
    const done = await write(button.previousElementSibling);
    status.textContent = done ? "Copied" : "Copying is not allowed here; select the line";
    button.textContent = done ? "Copied" : "Select it";
    button.classList.toggle("done", done);
    setTimeout(() => {
      button.textContent = "Copy";
      button.classList.remove("done");
    }, 1600);
  };

  // Light and dark
  const themes = ["auto", "light", "dark"];
  const stored = () => {
    try {
      return localStorage.getItem("capfuzz-theme");
    } catch {
      return null;
    }
  };
  let theme = themes.includes(stored()) ? stored() : "auto";
  const paint = () => {
    document.documentElement.dataset.theme = theme;
    $("theme").querySelector("span").textContent = theme;
  };
  const turn = () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try {
      localStorage.setItem("capfuzz-theme", theme);
    } catch {
      // A page from a file may have no storage; the choice then lasts as long as the page.
    }
    paint();
  };

  const keys = {
    j: () => move(1),
    k: () => move(-1),
    t: turn,
    "/": () => $("text") && $("text").focus(),
    c: () => {
      const one = document.activeElement.closest("details.finding");
      if (one) copy(one.querySelector(".copy"));
    },
  };
  const arrows = { ArrowDown: 1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input[type=search], select");
    if (event.key === "Escape" && form) {
      reset();
      event.target.blur();
    } else if (arrows[event.key] && event.target.matches("summary")) {
      event.preventDefault();
      move(arrows[event.key]);
    } else if (!typing && keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  // A page on paper shows everything that is not filtered away, and is as it was afterwards.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = visible().filter((one) => !one.open);
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of folded) one.open = false;
  });

  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
  for (const cell of document.querySelectorAll(".heat button")) {
    if (!form) continue;
    cell.addEventListener("click", () => {
      form.reset();
      $("family").value = cell.dataset.family;
      $("invariant").value = cell.dataset.invariant;
      filter();
      $("findings").scrollIntoView();
      $("findings").focus({ preventScroll: true });
    });
  }
  $("theme").hidden = false;
  $("theme").addEventListener("click", turn);
  paint();
  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", filter);
    $("unfold").addEventListener("click", unfold);
    filter();
  }
  addEventListener("hashchange", linked);
  linked();
})();

/*
 * The twin of probe.py for Node 20 or newer and Deno 2: the same lines in, the same lines out.
 *
 * A runtime guards each of its interfaces by itself, so an op is tried in every way that there is
 * to do it, until one works. What is not tried here is answered with ENOSYS.
 * It touches what an op names and nothing else, and limits itself in number and time.
 */

import { spawn } from "node:child_process";
import dgram from "node:dgram";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import readline from "node:readline";

const MOST_BYTES = 256 * 1024; // of one answer
const MOST_SECONDS = 5;
const MOST_OUTPUT = 4 * 1024 * 1024; // bytes
const MOST_TIME = 30; // seconds
const MOST_DEPTH = 3;
const CONNECTING = 1000; // milliseconds
const ADDRESS = 107; // bytes that the address of a unix socket has room for (unix(7))
const O_PATH = 0o10000000; // open(2): the place and not what stands there
const MOST_PROCESSES = 4096; // looked at
const OURS = "CAPFUZZ_"; // variables that whoever asks has planted; of others nothing is told
const { promises } = fs;
const own = globalThis.Deno; // undefined under Node

/* What an op is given, and the ways to do it by the interface that both runtimes have. */
const OPS = {
  fs_read: (place) => [
    () => fs.readFileSync(place),
    () => fs.readFileSync(Buffer.from(place)),
    () => promises.readFile(place),
  ],
  fs_write: (place, data) => [
    () => fs.writeFileSync(place, data),
    () => fs.writeFileSync(Buffer.from(place), data),
    () => promises.writeFile(place, data),
  ],
  fs_append: (place, data) => [
    () => fs.appendFileSync(place, data),
    () => promises.appendFile(place, data),
  ],
  fs_truncate: (place, size) => [
    () => fs.truncateSync(place, size),
    () => promises.truncate(place, size),
  ],
  fs_list: (place) => [
    () => fs.readdirSync(place).join("\n"),
    async () => (await promises.readdir(place)).join("\n"),
    () => opened(fs.opendirSync(place), (folder) => entries(folder).join("\n")),
  ],
  fs_stat: (place) => [
    () => attributes(fs.statSync(place, { bigint: true })),
    () => attributes(fs.lstatSync(place, { bigint: true })),
    async () => attributes(await promises.stat(place, { bigint: true })),
  ],
  fd_stat: (place) => [
    () => byDescriptor(place, (fd) => attributes(fs.fstatSync(fd, { bigint: true })), O_PATH),
    () => byHandle(place, async (file) => attributes(await file.stat({ bigint: true })), O_PATH),
  ],
  fs_rename: (place, other) => [
    () => fs.renameSync(place, other),
    () => promises.rename(place, other),
  ],
  fs_link: (place, other) => [
    () => fs.linkSync(place, other),
    () => promises.link(place, other),
  ],
  fs_symlink: (target, place) => [
    () => fs.symlinkSync(target, place),
    () => promises.symlink(target, place),
  ],
  fs_mkdir: (place) => [
    () => fs.mkdirSync(place),
    () => promises.mkdir(place),
  ],
  fs_unlink: (place) => [
    () => fs.unlinkSync(place),
    () => promises.rm(place),
  ],
  fs_chmod: (place, mode) => [
    () => fs.chmodSync(place, mode),
    () => promises.chmod(place, mode),
  ],
  fs_chown: (place, uid, gid) => [
    () => fs.chownSync(place, uid, gid),
    () => fs.lchownSync(place, uid, gid),
    () => promises.chown(place, uid, gid),
  ],
  fs_utimes: (place, seconds) => [
    () => fs.utimesSync(place, seconds, seconds),
    () => fs.lutimesSync(place, seconds, seconds),
    () => promises.utimes(place, seconds, seconds),
  ],
  fd_chmod: (place, mode) => [
    () => byDescriptor(place, (fd) => fs.fchmodSync(fd, mode)),
    () => byHandle(place, (file) => file.chmod(mode)),
  ],
  fd_chown: (place, uid, gid) => [
    () => byDescriptor(place, (fd) => fs.fchownSync(fd, uid, gid)),
    () => byHandle(place, (file) => file.chown(uid, gid)),
  ],
  fd_utimes: (place, seconds) => [
    () => byDescriptor(place, (fd) => fs.futimesSync(fd, seconds, seconds)),
    () => byHandle(place, (file) => file.utimes(seconds, seconds)),
  ],
  fd_reopen: (place, data) => [
    () => byDescriptor(place, (fd) => fs.writeFileSync(`/proc/self/fd/${fd}`, data)),
  ],
  fds_inherited: () => [() => Array.from({ length: 61 }, (_, at) => descriptor(at + 3)).join("\n")],
  net_tcp: (host, port, token) => [() => sent(net.connect({ host, port }), token)],
  net_port: (host, port, token) => OPS.net_tcp(host, port, token),
  net_udp: (host, port, token) => [() => datagram(host, port, token)],
  net_unix: (place, token) => [
    () => fromFolder(place, (name) => sent(net.connect({ path: name }), token)),
    () => sent(net.connect({ path: fitting(place) }), token),
  ],
  net_abstract: (name, token) => [() => sent(net.connect({ path: `\0${name}` }), token)],
  proc_signal: (pid) => [() => process.kill(pid, "SIGUSR1")],
  proc_memory: (pid, address, size) => [() => memory(`/proc/${pid}/mem`, address, size)],
  proc_environ: (pid) => OPS.fs_read(`/proc/${pid}/environ`),
  proc_root: (pid, place) => OPS.fs_read(`/proc/${pid}/root${place}`),
  proc_walk: (place) => [
    () => fs.readdirSync("/proc").filter((one) => /^\d+$/.test(one)).slice(0, MOST_PROCESSES)
      .map((pid) => walked(`/proc/${pid}`, place)).join("\n"),
  ],
  proc_background: (seconds, mark) => [() => background(Math.min(seconds, MOST_SECONDS), mark)],
  env_read: () => [() => lines(process.env)],
  use_output: (place, size) => [() => poured(fs.readFileSync(place), Math.min(size, MOST_OUTPUT))],
  use_time: (seconds, mark) => [() => goingOn(Math.min(seconds, MOST_TIME), mark)],
};

/* The same by the interface that is Deno's own. */
const OWN = {
  fs_read: (place) => [() => own.readFileSync(place)],
  fs_write: (place, data) => [() => own.writeTextFileSync(place, data)],
  fs_append: (place, data) => [() => own.writeTextFileSync(place, data, { append: true })],
  fs_truncate: (place, size) => [() => own.truncateSync(place, size)],
  fs_list: (place) => [() => Array.from(own.readDirSync(place), (entry) => entry.name).join("\n")],
  fs_rename: (place, other) => [() => own.renameSync(place, other)],
  fs_link: (place, other) => [() => own.linkSync(place, other)],
  fs_symlink: (target, place) => [() => own.symlinkSync(target, place)],
  fs_mkdir: (place) => [() => own.mkdirSync(place)],
  fs_unlink: (place) => [() => own.removeSync(place)],
  fs_chmod: (place, mode) => [() => own.chmodSync(place, mode)],
  fs_chown: (place, uid, gid) => [() => own.chownSync(place, uid, gid)],
  fs_utimes: (place, seconds) => [() => own.utimeSync(place, seconds, seconds)],
  fd_utimes: (place, seconds) => [
    () => opened(own.openSync(place), (file) => file.utimeSync(seconds, seconds)),
  ],
  net_tcp: (host, port, token) => [() => sentTo(own.connect({ hostname: host, port }), token)],
  net_port: (host, port, token) => OWN.net_tcp(host, port, token),
  net_unix: (place, token) => [
    () => sentTo(own.connect({ transport: "unix", path: place }), token),
  ],
  net_abstract: (name, token) => [
    () => sentTo(own.connect({ transport: "unix", path: `\0${name}` }), token),
  ],
  proc_signal: (pid) => [() => own.kill(pid, "SIGUSR1")],
  proc_background: (seconds, mark) => [() => started(Math.min(seconds, MOST_SECONDS), mark)],
  env_read: () => [() => lines(own.env.toObject())],
  proc_environ: (pid) => OWN.fs_read(`/proc/${pid}/environ`),
  proc_root: (pid, place) => OWN.fs_read(`/proc/${pid}/root${place}`),
};

function opened(file, act) {
  try {
    return act(file);
  } finally {
    (file.closeSync ?? file.close).call(file);
  }
}

function entries(folder) {
  const names = [];
  for (let one = folder.readSync(); one !== null; one = folder.readSync()) {
    names.push(one.name);
  }
  return names;
}

function attributes(seen) {
  return `${seen.mtimeNs} ${seen.size}`;
}

function byDescriptor(place, act, flags = "r") {
  const fd = fs.openSync(place, flags);
  try {
    return act(fd);
  } finally {
    fs.closeSync(fd);
  }
}

async function byHandle(place, act, flags = "r") {
  const file = await promises.open(place, flags);
  try {
    return await act(file);
  } finally {
    await file.close();
  }
}

function memory(place, address, size) {
  const found = Buffer.alloc(size);
  byDescriptor(place, (fd) => fs.readSync(fd, found, 0, size, BigInt(address)));
  return found;
}

/* What a descriptor that came from outside opens: a file, or what stands in a folder. */
function descriptor(fd) {
  try {
    const place = `/proc/self/fd/${fd}`; // Deno numbers files by itself
    const kind = own ? fs.statSync(place) : fs.fstatSync(fd);
    if (kind.isFile()) return own ? byDescriptor(place, beginning) : beginning(fd);
    return kind.isDirectory() ? tree(place, MOST_DEPTH).join("\n") : "";
  } catch {
    return "";
  }
}

function beginning(fd) {
  const found = Buffer.alloc(4096);
  return found.toString("latin1", 0, fs.readSync(fd, found, 0, found.length, 0));
}

function tree(folder, depth) {
  return fs.readdirSync(folder, { withFileTypes: true }).slice(0, 64).flatMap((one) => {
    const place = path.join(folder, one.name);
    try {
      if (one.isFile()) return [one.name, fs.readFileSync(place, "latin1").slice(0, 4096)];
      return one.isDirectory() && depth ? [one.name, ...tree(place, depth - 1)] : [one.name];
    } catch {
      return [one.name];
    }
  });
}

function sent(socket, token) {
  return new Promise((resolve, reject) => {
    socket.setTimeout(CONNECTING, () => reject(coded("ETIMEDOUT")));
    socket.on("error", reject);
    socket.on("connect", () => socket.end(token, resolve));
  }).finally(() => socket.destroy());
}

async function sentTo(connecting, token) {
  const made = await connecting;
  await made.write(new TextEncoder().encode(token));
  made.close();
}

/* From the same host, which is this machine: no other address need be open. */
function datagram(host, port, token) {
  const socket = dgram.createSocket("udp4");
  let thrown; // by Deno, where a refusal is no event
  return new Promise((resolve, reject) => {
    thrown = reject;
    process.on("uncaughtException", thrown);
    socket.on("error", reject);
    socket.bind(0, host);
    socket.send(token, port, host, (error) => (error ? reject(error) : resolve()));
  }).finally(() => {
    process.off("uncaughtException", thrown);
    socket.close();
  });
}

/* From its folder, since the whole path may be too long for an address. */
async function fromFolder(place, act) {
  const before = process.cwd();
  process.chdir(path.dirname(place));
  try {
    return await act(path.basename(place));
  } finally {
    process.chdir(before);
  }
}

function fitting(place) {
  if (Buffer.byteLength(place) > ADDRESS) throw coded("ENAMETOOLONG");
  return place;
}

/* What a process's folder in /proc tells: planted variables, and a file by way of its root. */
function walked(folder, place) {
  const look = (one) => {
    try {
      return fs.readFileSync(one, "latin1");
    } catch {
      return "";
    }
  };
  const planted = look(`${folder}/environ`).split("\0").filter((one) => one.startsWith(OURS));
  return [...planted, look(`${folder}/root${place}`)].join("\n");
}

/* What is left behind, as a process that no group and no session ties to this one. */
function waiting(seconds, mark) {
  return `setTimeout(() => {}, ${seconds * 1000}) // ${mark}`;
}

function background(seconds, mark) {
  const words = ["-e", waiting(seconds, mark)];
  const child = spawn(process.execPath, words, { detached: true, stdio: "ignore" });
  child.unref();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("spawn", () => resolve());
  });
}

function started(seconds, mark) {
  const silent = { stdin: "null", stdout: "null", stderr: "null" };
  const args = ["eval", waiting(seconds, mark)];
  new own.Command(own.execPath(), { args, detached: true, ...silent }).spawn().unref();
}

/* What a file holds, over and over, to both standard streams. */
async function poured(data, size) {
  const most = Math.ceil(size / 2);
  const piece = Buffer.concat(Array(Math.ceil(most / data.length)).fill(data));
  for (const [stream, share] of [[process.stdout, size - most], [process.stderr, most]]) {
    stream.on("error", () => {}); // one that is closed; the other may still be open
    await new Promise((resolve) => stream.write(piece.subarray(0, share), resolve));
  }
}

/* Ignore what can be ignored, leave descendants behind where there may be any, and go on. */
async function goingOn(seconds, mark) {
  for (const name of Object.keys(os.constants.signals)) {
    try {
      process.on(name, () => {});
    } catch {
      continue; // one that nobody may ignore
    }
  }
  for (const leave of [() => background(seconds, mark), () => started(seconds, mark)]) {
    try {
      await leave();
    } catch {
      continue; // refused, or not there
    }
  }
  process.stdout.write("goes on\n");
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function lines(environment) {
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`).join("\n");
}

function coded(code) {
  return Object.assign(new Error(code), { code });
}

/* Return what came of the first way that works; the error of the last way where none does. */
async function tried(ways) {
  let failed = coded("ENOSYS");
  for (const way of ways) {
    try {
      return await way();
    } catch (error) {
      failed = error;
    }
  }
  throw failed;
}

async function answer(line) {
  const asked = JSON.parse(line);
  const base = { jsonrpc: "2.0", id: asked.id };
  try {
    const given = asked.params.arguments;
    const ops = [OPS, own ? OWN : {}].map((one) => one[asked.method] ?? (() => []));
    if (given.length < ops[0].length) throw coded("EINVAL"); // Deno would write to "undefined"
    const out = await tried(ops.flatMap((one) => one(...given)));
    const text = out instanceof Uint8Array ? Buffer.from(out).toString("latin1") : out;
    return { ...base, result: { out: String(text ?? "").slice(0, MOST_BYTES) } };
  } catch (error) {
    return { ...base, error: { message: String(error?.code ?? error?.name ?? error) } };
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
}

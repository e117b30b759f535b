// vite: the development server, with one folder allowed, behind a socket that listens already.
const http = require("http");
const { pathToFileURL } = require("url");
const { createRequire } = require("module");
const [root, prefix, fd] = process.argv.slice(2);
const inside = createRequire(process.env.DETECTION_NODE_MODULES + "/x.js");
(async () => {
  const { createServer } = await import(pathToFileURL(inside.resolve("vite")));
  const server = http.createServer();
  const vite = await (createServer || inside("vite").createServer)({
    root,
    base: prefix,
    configFile: false,
    envFile: false,
    logLevel: "silent",
    appType: "custom",
    cacheDir: process.env.HOME + "/vite-cache",
    optimizeDeps: { noDiscovery: true, include: [] },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null, fs: { allow: [root] } },
  });
  server.on("request", vite.middlewares);
  server.listen({ fd: Number(fd) });
})();

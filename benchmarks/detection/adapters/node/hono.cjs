// @hono/node-server: static files, one folder of which is kept back by a middleware.
const http = require("http");
const path = require("path");
const { createRequire } = require("module");
const inside = createRequire(process.env.DETECTION_NODE_MODULES + "/x.js");
const { Hono } = inside("hono");
const { getRequestListener } = inside("@hono/node-server");
const { serveStatic } = inside("@hono/node-server/serve-static");
const [root, prefix, fd] = process.argv.slice(2);
const app = new Hono();
app.use(`${prefix}admin/*`, (context) => context.text("kept back", 403));
process.chdir(path.dirname(root));
app.use(`${prefix}*`, serveStatic({ root: "./" }));
http.createServer(getRequestListener(app.fetch)).listen({ fd: Number(fd) });

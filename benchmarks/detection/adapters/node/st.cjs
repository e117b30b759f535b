// st: static files at a URL, as its documentation shows.
const http = require("http");
const { createRequire } = require("module");
const st = createRequire(process.env.DETECTION_NODE_MODULES + "/x.js")("st");
const [root, prefix, fd] = process.argv.slice(2);
const mount = st({ path: root, url: prefix, index: false, cache: false });
http
  .createServer((request, response) => {
    if (!mount(request, response)) {
      response.statusCode = 404;
      response.end("not found\n");
    }
  })
  .listen({ fd: Number(fd) });

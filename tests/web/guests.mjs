// Who looks: two pages at once, one that is killed in the middle, a page of another origin, a page that talks nonsense,
// and --once.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, openBrowser, openView, run, source, startView, until } from "./browser.mjs";

const where = folder();
let chrome, view;

before(async () => {
  chrome = await openBrowser();
  run(where, join(source, "tests/web/scene.yaml"), "scene.h5");
  view = await startView(where, "scene.h5");
});

after(async () => {
  await chrome?.close();
  await view?.stop();
});

const frameIs = (page, index) => page.waitForFunction((k) => window.capstan.frame === k, index);

test("two pages look at different frames; one is killed, the other goes on", async (t) => {
  const one = await openView(chrome.newPage, view.url);
  t.after(() => one.close());
  const two = await openView(chrome.newPage, view.url);
  t.after(() => two.close());
  await one.keyboard.press("End");
  await frameIs(one, 30);
  await two.keyboard.press("ArrowRight");
  await frameIs(two, 1);
  assert.equal(await one.evaluate(() => window.capstan.frame), 30);
  await one.keyboard.press("Home");
  await one.keyboard.press("Space"); // in the middle of playing …
  await one.close({ runBeforeUnload: false });
  await two.keyboard.press("End");
  await frameIs(two, 30);
  assert.equal(await two.evaluate(() => window.capstan.closed), null);
});

// Connects from the page that is open and says what came of it.
const connect = (page, address, text) =>
  page.evaluate(
    ([url, message]) =>
      new Promise((done) => {
        const socket = new WebSocket(url, "capstan-1");
        let opened = false;
        socket.onopen = () => {
          opened = true;
          if (message) socket.send(message);
          else done({ opened });
        };
        socket.onclose = (event) => done({ opened, code: event.code, reason: event.reason });
      }),
    [address, text],
  );

test("a page of another origin is refused", async (t) => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<title>elsewhere</title>");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => (server.closeAllConnections(), server.close()));
  const page = await chrome.newPage();
  t.after(() => page.close());
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const ws = view.url.replace("http", "ws") + "ws";
  assert.equal((await connect(page, ws)).opened, false);
  await until(() => /refused/.test(view.said()), "the command tells of the refusal");
  await page.goto(view.url);
  assert.equal((await connect(page, ws)).opened, true, "the page's own origin is not");
  chrome.errors.length = 0; // the browser itself reports the refusal
});

test("nonsense closes that connection with a reason, and only that", async (t) => {
  const page = await openView(chrome.newPage, view.url);
  t.after(() => page.close());
  const ws = view.url.replace("http", "ws") + "ws";
  for (const text of ["nonsense", '{"type": "no such"}', '{"type": "frame"}', `{"type": "frame", "index": ${"1".repeat(5000)}}`]) {
    const { code, reason } = await connect(page, ws, text);
    assert.ok(code === 1008 || code === 1009, `${text.slice(0, 30)}: ${code}`);
    assert.ok(reason.length > 10, "and says why");
  }
  await page.keyboard.press("End");
  await frameIs(page, 30);
});

test("with --listen the page needs the token of its URL", async (t) => {
  const open = await startView(where, "scene.h5", "--listen", "127.0.0.1");
  t.after(() => open.stop());
  const page = await openView(chrome.newPage, open.url);
  t.after(() => page.close());
  const bare = new URL(open.url);
  assert.match(bare.search, /^\?token=[0-9a-f]{32}$/);
  bare.search = "";
  assert.equal((await page.request.get(bare.href)).status(), 403);
  assert.equal((await connect(page, bare.href.replace("http", "ws") + "ws")).opened, false);
  chrome.errors.length = 0; // the browser itself reports the refusal
});

test("with --once the command ends when the page is closed", async (t) => {
  const once = await startView(where, "scene.h5", "--once");
  t.after(() => once.stop());
  const page = await openView(chrome.newPage, once.url);
  await page.close();
  assert.equal(await once.ended, 0);
});

test("when the command ends, the page says so", async (t) => {
  const short = await startView(where, "scene.h5");
  t.after(() => short.stop());
  const page = await openView(chrome.newPage, short.url);
  t.after(() => page.close());
  await short.stop();
  await page.waitForSelector("#notice", { state: "visible" });
  assert.match(await page.locator("#notice").innerText(), /Capstan/);
});

test("the pages made no errors", () => assert.deepEqual(chrome.errors, []));

"""The playground in a tab of Chromium, and what it did that it should not."""

import numpy as np
from playwright.sync_api import expect

from novikoff._play import playground

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
SQUARE = [[0.0, 0.0, -1], [1.0, 0.0, -1], [0.0, 3.0, 1], [1.0, 3.0, 1]]
XOR = [[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]]
STATE = """() => {
  const { points, ...others } = playground.state;
  return [others, points.map(({ x, y, label }) => [x, y, label])];
}"""
SHOW = """(settings) => {
  const { points, ...others } = settings;
  Object.assign(playground.state, others);
  if (points) playground.state.points = points.map(([x, y, label]) => ({ x, y, label }));
  playground.state.view = viewOfPoints(playground.state.points);
  playground.state.step = others.step ?? 0;
  playground._showControls();
  playground.refresh();
}"""
VIEW = """const viewOfPoints = (points) => {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
  const half = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) || 1;
  return { x: middle(xs), y: middle(ys), half };
};"""


def listed(X, y):
    """Points as the page has them."""
    return [[float(a), float(b), int(label)] for (a, b), label in zip(X, y, strict=True)]


def overlapping(seed, count=40, noise=0.7):
    """Points on both sides of a line, with labels of -1 and 1; some of them on the wrong side."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, 2))
    return X, np.where(X @ [1.0, 0.4] + noise * random.normal(size=count) > 0, 1, -1)


class Tab:
    """An open playground. ``trouble`` has messages of the console, errors, and requests for anything but the file."""

    def __init__(self, browser, folder, link="", scheme="light", size=DESKTOP):
        self.path = folder / "playground.html"
        if not self.path.exists():
            self.path.write_text(playground(), encoding="utf-8")
        self.context = browser.new_context(viewport=size, color_scheme=scheme, accept_downloads=True)
        self.page, self.trouble = self.context.new_page(), []
        self.page.on("console", lambda message: self.trouble.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.context.route("**/*", self._answer)
        self.page.goto(self.path.as_uri() + link)
        expect(self.page.locator("#position")).not_to_be_empty()

    def _answer(self, route):
        url = route.request.url
        if url.split("#")[0] == self.path.as_uri() or url.startswith(("data:", "blob:")):
            route.continue_()
        else:
            self.trouble.append(url)
            route.abort()

    def show(self, points=None, **settings):
        """Show these points, [x, y, label] each, with these settings."""
        settings = settings if points is None else {**settings, "points": points}
        self.page.evaluate(f"(settings) => {{ {VIEW} return ({SHOW})(settings); }}", settings)

    def state(self):
        """The settings, and the points."""
        return self.page.evaluate(STATE)

    def points(self):
        return self.state()[1]

    def until(self, condition):
        """Wait until an expression is true. The policy of the page does not let playwright evaluate it there."""
        for _ in range(200):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"{condition} did not become true")

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def alert(self):
        """The sentence that tells the reader of an error, or None."""
        return self.text("#alert-words") if self.page.locator("#alert").is_visible() else None

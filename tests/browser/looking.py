"""A look at a page in Chromium: what a person would complain of, in words.

`LOOKS` are the sizes and inputs of the windows; each is looked at in both colour schemes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
AXE = Path(__file__).resolve().parents[1] / "data" / "axe" / "axe.min.js"
LOOKS: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
}
# Where others want the cores too.
WITHIN_MS = 120_000
SCHEMES = ("light", "dark")
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
# The one rule that a colour scheme changes.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}

# Runs before the page's own scripts, and sees what is reported and how far things move by themselves.
WATCH = """
    window.seen = {reports: [], shift: 0, moved: []};
    addEventListener("securitypolicyviolation", (event) =>
        seen.reports.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            if (entry.hadRecentInput) continue;
            // Words that follow a relative time move along their line, and are none.
            const jumped = entry.sources.filter(({node, previousRect: before, currentRect: after}) =>
                node && (before.y !== after.y || (node.outerHTML && before.x !== after.x)));
            if (!jumped.length) continue;
            seen.shift += entry.value;
            for (const {node} of jumped) seen.moved.push((node.outerHTML ?? node.textContent).slice(0, 120));
        }
    }).observe({type: "layout-shift", buffered: true});
"""
# The table of a replay appears when the replay is there.
DRAWN = """() => [...document.querySelectorAll("[data-part=stage]")].every((stage) => !stage.hidden)"""
# Even without motion, what changes does so by a transition that ends in one of the next frames.
SETTLED = """() => new Promise((done) => {
    // What follows the scrolling never does.
    const ends = (one) => one.timeline === document.timeline && one.effect.getComputedTiming().endTime !== Infinity;
    const look = () => document.getAnimations().some(ends) ? requestAnimationFrame(look) : done();
    requestAnimationFrame(() => requestAnimationFrame(look));
})"""
TOO_WIDE = """() => {
    const wide = document.scrollingElement.scrollWidth, width = screen.width < innerWidth ? screen.width : innerWidth;
    if (wide <= width) return [];
    const scrolls = (node) => node && node !== document.body
        && (getComputedStyle(node).overflowX !== "visible" || scrolls(node.parentElement));
    return [...document.body.querySelectorAll("*")]
        .filter((node) => node.getBoundingClientRect().right > width + 1 && !scrolls(node.parentElement))
        .map((node) => node.outerHTML.slice(0, 160)).slice(0, 5).concat(`${wide} of ${width} px`);
}"""
# Everything that the Tab key has to reach, each radio group once, and nothing in a closed part.
STOPS = """() => {
    const found = [...document.querySelectorAll(
        "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]")];
    const radios = new Set();
    window.stops = found.filter((node) => {
        if (node.disabled || node.tabIndex < 0 || node.type === "hidden") return false;
        if (!node.checkVisibility({visibilityProperty: true})) return false;
        if (node.type !== "radio") return true;
        const group = `${node.form?.id} ${node.name}`;
        const chosen = document.querySelector(`input[type=radio][name="${node.name}"]:checked`);
        if (radios.has(group) || (chosen && chosen !== node)) return false;
        return radios.add(group);
    });
    window.reached = new Map();
    document.addEventListener("focusin", ({target}) => {
        const style = getComputedStyle(target);
        const ring = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1)
            || style.boxShadow !== "none";
        const box = target.getBoundingClientRect();
        // The way to the content comes into sight only then.
        const inside = target.matches(".skip") || box.width > 0 && box.bottom > 0 && box.top < innerHeight
            && box.right > 0 && box.left < innerWidth;
        window.reached.set(target, {ring, inside});
    });
    return stops.length;
}"""
AT_SKIP_LINK = """() => {
    const link = document.activeElement;
    // A frame on another site has no head to skip.
    return !document.querySelector(".skip") || link.hash === "#main" && link.getBoundingClientRect().top >= 0;
}"""
MISSED = """() => {
    const name = (node) => node.outerHTML.slice(0, 160);
    return [
        ...stops.filter((node) => !reached.has(node)).map((node) => `is not reached by Tab: ${name(node)}`),
        ...[...reached].filter(([, {ring}]) => !ring).map(([node]) => `shows no focus: ${name(node)}`),
        ...[...reached].filter(([, {inside}]) => !inside).map(([node]) => `has the focus out of sight: ${name(node)}`),
    ];
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-networking", "--disable-dev-shm-usage"],
        )
        yield browser
        browser.close()


def window(browser: Browser, url: str, look: str, cookie: str = "") -> BrowserContext:
    """A browser of its own, logged in by the cookie; without motion, so that a picture is of what stands still."""
    context = browser.new_context(base_url=url, reduced_motion="reduce", color_scheme="light", **LOOKS[look])
    context.set_default_timeout(WITHIN_MS)
    context.add_init_script(WATCH)
    if cookie:
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": url}])
    return context


class Look:
    """A tab and the page that is open in it. `complaints` grows with each thing that is looked at."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def _hear(self, message: ConsoleMessage) -> None:
        # That a page is missing or refused, the browser says too, of the page that says it.
        is_status = (
            message.text.startswith("Failed to load resource") and message.location["url"] == self.page.url
        )
        if message.type in {"error", "warning"} and not is_status:
            self.complaints.append(f"console: {message.text} ({message.location['url']})")

    def open(self, address: str) -> None:
        """Show a page in light colours."""
        self.page.emulate_media(color_scheme="light")
        self.complaints.clear()
        self.page.goto(address)
        self.page.wait_for_function(DRAWN)

    def is_allowed(self) -> None:
        """Nothing broke the content security policy."""
        self.complaints += [f"CSP: {each}" for each in self.page.evaluate("seen.reports")]

    def fits(self) -> None:
        """Nothing but what scrolls by itself is wider than the window."""
        self.complaints += [f"too wide: {each}" for each in self.page.evaluate(TOO_WIDE)]

    def is_accessible(self) -> None:
        """axe-core finds nothing in either colour scheme; the page stays dark."""
        self.page.evaluate(AXE.read_text())
        self._axe("light", RULES)
        self.paint("dark")
        self._axe("dark", COLOURS)

    def paint(self, scheme: str) -> None:
        """Show the page in a colour scheme, and wait until it is drawn so."""
        self.page.emulate_media(color_scheme=scheme)
        self.page.evaluate(SETTLED)

    def picture(self, path: Path) -> None:
        """The whole page in a file. The window grows to its height: where Chromium captures more than the window, it
        forgets that it is touched, and targets shrink."""
        size = self.page.viewport_size or {}
        height = self.page.evaluate("document.scrollingElement.scrollHeight")
        self.page.set_viewport_size({**size, "height": height})
        self.page.screenshot(path=path)
        self.page.set_viewport_size(size)

    def _axe(self, scheme: str, options: dict[str, Any]) -> None:
        for found in self.page.evaluate("async (options) => (await axe.run(options)).violations", options):
            for node in found["nodes"][:4]:
                self.complaints.append(
                    f"axe, {scheme}: {found['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
                )

    def is_walked_by_keyboard(self) -> None:
        """Tab reaches every control, each shows that it has the focus, the first skips to the content."""
        n = self.page.evaluate(STOPS)
        self.page.keyboard.press("Tab")
        self.page.evaluate(SETTLED)
        if not self.page.evaluate(AT_SKIP_LINK):
            self.complaints.append("the first Tab shows no way to the content")
        # A date has several stops, and what scrolls has one too: until all are reached, or Tab leads nowhere new.
        for _ in range(4):
            for _ in range(n):
                self.page.keyboard.press("Tab")
            if not (missed := self.page.evaluate(MISSED)):
                break
            n = 10
        self.complaints += missed

/** What looks broken on a page: text that is cut or lies over other text, controls that cannot be hit or seen. */
import type { Page } from "playwright-core";

/** Runs in the page; says each fault in a line. What lies below an open dialog or menu cannot be reached and is left out. */
const LOOK = `(() => {
  const faults = [];
  const top = [...document.querySelectorAll("dialog[open], .menu:popover-open")].at(-1) ?? document.body;
  const named = (element) => element.outerHTML.slice(0, 100);
  const style = (element) => getComputedStyle(element);
  const ancestors = (element) => element === null ? [] : [element, ...ancestors(element.parentElement)];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.closest(".unseen, .skip, noscript") === null && getComputedStyle(element).clipPath !== "inset(50%)";
  const all = [...top.querySelectorAll("*")].filter(isShown);

  // What may be wider than its place scrolls by itself.
  const SCROLLS = ".board, .filters, .days-picture, .numbers, .table, pre, textarea, input";
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) faults.push("the page scrolls sideways");
  for (const element of all) {
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = style(element);
    const isWide = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    const isHigh = element.scrollHeight > element.clientHeight + 2 && element.clientHeight > 0;
    if (element.closest("svg") !== null || element.matches("select") || !element.textContent.trim()) continue;
    if (isWide && /auto|scroll/.test(overflowX) && element.closest(SCROLLS) === null) faults.push("scrolls sideways: " + named(element));
    if (isWide && /hidden|clip/.test(overflowX) && textOverflow !== "ellipsis" && webkitLineClamp === "none") faults.push("is cut: " + named(element));
    if (isHigh && /hidden|clip/.test(overflowY) && webkitLineClamp === "none" && textOverflow !== "ellipsis") faults.push("is cut below: " + named(element));
    if (isWide && element.matches("button, .button, .chip")) faults.push("is too narrow for its text: " + named(element));
  }

  /** The part of a box that the scrolling or clipping boxes around it let through. */
  const seenPart = (box, element) => {
    let { left, right, top: upper, bottom } = box;
    for (const around of ancestors(element)) {
      if (style(around).overflowX === "visible" && style(around).overflowY === "visible") continue;
      const edge = around.getBoundingClientRect();
      left = Math.max(left, edge.left); right = Math.min(right, edge.right);
      upper = Math.max(upper, edge.top); bottom = Math.min(bottom, edge.bottom);
    }
    return { left, right, upper, bottom, width: right - left, height: bottom - upper };
  };
  const texts = [];
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (text.data.trim() === "" || !isShown(text.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    // What stays while the rest scrolls below it lies over it on purpose.
    const layer = ancestors(text.parentElement).find((one) => /fixed|sticky/.test(style(one).position)) ?? top;
    for (const box of range.getClientRects()) {
      const part = seenPart(box, text.parentElement);
      if (part.width > 2 && part.height > 2) texts.push({ ...part, layer, text: text.data.trim().slice(0, 40), node: text });
    }
  }
  for (const [at, one] of texts.entries())
    for (const other of texts.slice(at + 1)) {
      if (one.node === other.node || one.layer !== other.layer) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.upper, other.upper);
      if (width > 2 && height > Math.min(one.height, other.height) / 3) faults.push("lie over each other: " + one.text + " | " + other.text);
    }

  const CONTROLS = "button, a[href], input, select, textarea, summary";
  for (const control of all.filter((one) => one.matches(CONTROLS))) {
    control.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const { left, top: upper, width, height } = control.getBoundingClientRect();
    if (width === 0 || height === 0) { faults.push("has no size: " + named(control)); continue; }
    const hit = document.elementFromPoint(left + width / 2, upper + height / 2);
    const isHit = hit !== null && (control.contains(hit) || hit.closest("label")?.contains(control));
    if (!isHit) faults.push("cannot be hit: " + named(control) + " below " + (hit === null ? "nothing" : named(hit)));
  }

  const groundOf = (element) => ancestors(element).map((one) => style(one).backgroundColor).find((colour) => !/, 0\\)|transparent/.test(colour)) ?? "canvas";
  for (const icon of all.filter((one) => one.matches("svg.icon")))
    if (style(icon).stroke === groundOf(icon.parentElement) && icon.closest(".tick") === null) faults.push("has the colour of its ground: " + named(icon.parentElement));
  for (const tick of all.filter((one) => one.matches(".card .tick")))
    if (getComputedStyle(tick, "::before").borderTopColor === groundOf(tick)) faults.push("has the colour of its ground: " + named(tick));
  return [...new Set(faults)];
})()`;

export async function pageFaults(page: Page): Promise<readonly string[]> {
  return await page.evaluate(LOOK);
}

/** Runs in the page: takes the focus away for a moment and gives it back. @returns the stop, when nothing around it looked otherwise */
const UNSEEN_STOP = `(() => {
  const stop = document.activeElement;
  if (stop === null || stop === document.body) return undefined;
  const around = [stop, stop.parentElement, stop.closest(".card, .quick-add-row")].filter((one) => one !== null);
  const lines = () => around.map((one) => { const { outline, border } = getComputedStyle(one); return outline + border; }).join();
  const focused = lines();
  stop.blur();
  const left = lines();
  stop.focus({ focusVisible: true });
  return focused === left ? stop.outerHTML.slice(0, 100) : undefined;
})()`;

/** Goes through the page by a key. @returns the stops at which no outline or border tells where the focus is */
export async function unseenStops(page: Page, key: "Tab" | "Shift+Tab", most: number): Promise<readonly string[]> {
  const unseen: string[] = [];
  for (let stop = 0; stop < most; stop++) {
    await page.keyboard.press(key);
    const html = await page.evaluate<string | undefined>(UNSEEN_STOP);
    if (html !== undefined) unseen.push(html);
  }
  return unseen;
}

/** Which cards of a long list are drawn: those near the visible part, with empty space for the others (docs: web, "Stack"). */
import { type RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Shorter lists are drawn whole. */
const MAX_WHOLE = 20;
const CHUNK = 10;
/** Chunks drawn beyond the visible part, on either side. */
const MARGIN = 1;
/** The height of a card before any was measured. */
const GUESSED_HEIGHT = 84;
/** This near to the end, more cards are requested. */
const NEAR_END_PX = 600;

export interface RowWindow {
  readonly first: number;
  readonly last: number;
  /** Pixels of the cards that are not drawn. */
  readonly before: number;
  readonly after: number;
  readonly onScroll: () => void;
}

export function useRows(list: RefObject<HTMLElement | null>, count: number, onEnd?: () => void): RowWindow {
  const [chunk, setChunk] = useState({ first: 0, last: 0 });
  const height = useRef(GUESSED_HEIGHT);
  const isWhole = count <= MAX_WHOLE;
  const first = isWhole ? 0 : Math.min(chunk.first * CHUNK, count);
  const last = isWhole ? count : Math.min((chunk.last + 1) * CHUNK, count);

  const look = useCallback(() => {
    const element = list.current;
    if (element === null) return;
    height.current = measured(element) ?? height.current;
    const { scrollTop, clientHeight, scrollHeight } = element;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) onEnd?.();
    const at = (pixels: number) => Math.floor(pixels / height.current / CHUNK);
    const next = { first: Math.max(0, at(scrollTop) - MARGIN), last: at(scrollTop + clientHeight) + MARGIN };
    setChunk((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, [list, onEnd]);

  // A tall window may show the end of the loaded cards without scrolling. Measured after painting: earlier, each list would
  // force a layout of the whole page.
  useEffect(look, [look, count]);

  return { first, last, before: first * height.current, after: (count - last) * height.current, onScroll: look };
}

/** The height of the drawn cards, each with the gap to the next. */
function measured(list: HTMLElement): number | undefined {
  const cards = list.querySelectorAll<HTMLElement>(":scope > .card");
  const [top, bottom] = [cards[0], cards[cards.length - 1]];
  return top && bottom && (bottom.offsetTop + bottom.offsetHeight - top.offsetTop) / cards.length;
}

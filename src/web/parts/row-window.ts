/** Draws only the cards near the visible part of a long list (docs: web, "Stack"). */
import { type RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Shorter lists are drawn whole. */
const MAX_WHOLE = 20;
const CHUNK = 10;
/** Chunks drawn beyond either side. */
const MARGIN = 1;
const GUESSED_HEIGHT = 84;
/** Distance from the end that requests more cards. */
const NEAR_END_PX = 600;

interface RowWindow {
  readonly first: number;
  readonly last: number;
  /** Pixels of the cards not drawn. */
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

  // A tall window may show the end without scrolling. Runs after painting: earlier, each list would force a layout.
  useEffect(look, [look, count]);

  return { first, last, before: first * height.current, after: (count - last) * height.current, onScroll: look };
}

/** Mean height of the drawn cards, with gaps. */
function measured(list: HTMLElement): number | undefined {
  const cards = list.querySelectorAll<HTMLElement>(":scope > .card");
  const [top, bottom] = [cards[0], cards[cards.length - 1]];
  return top && bottom && (bottom.offsetTop + bottom.offsetHeight - top.offsetTop) / cards.length;
}

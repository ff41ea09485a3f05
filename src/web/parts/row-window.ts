/** Which cards of a long list are drawn: those near what is seen, with empty space for the others (docs: web, "Stack"). */
import { type RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Lists up to this length are drawn whole. */
const MAX_WHOLE = 20;
const CHUNK = 10;
/** Chunks drawn beyond what is seen, on either side. */
const MARGIN = 1;
/** How high a card is before any was measured. */
const GUESSED_HEIGHT = 84;
/** So near to the end, more is asked for. */
const NEAR_END_PX = 600;

export interface RowWindow {
  readonly first: number;
  readonly last: number;
  /** Pixels of what is left out. */
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

  // A tall window may show the end of what is loaded without any scrolling. Measured only once it is painted: sooner, each list
  // would have the whole page laid out for itself.
  useEffect(look, [look, count]);

  return { first, last, before: first * height.current, after: (count - last) * height.current, onScroll: look };
}

/** How high the cards that are drawn are, each with the gap to the next. */
function measured(list: HTMLElement): number | undefined {
  const cards = list.querySelectorAll<HTMLElement>(":scope > .card");
  const [top, bottom] = [cards[0], cards[cards.length - 1]];
  return top && bottom && (bottom.offsetTop + bottom.offsetHeight - top.offsetTop) / cards.length;
}

/** Fits a picture to its container while its letters keep their size. */
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A unit is a pixel unless the root's letters are enlarged. */
export const UNITS_PER_REM = 16;

export function usePictureWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setWidth(Math.floor((element.clientWidth / rem) * UNITS_PER_REM));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}

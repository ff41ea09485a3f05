/** A picture of days to choose from, as one Tab stop. */
import type { ComponentChildren, JSX, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface DaySliderProps {
  readonly label: string;
  readonly count: number;
  /** Index of the chosen day. */
  readonly at: number;
  /** Its numbers in words. */
  readonly text: string;
  readonly onChoose: (at: number) => void;
  /** `x` and `y` are shares of the picture's width and height. */
  readonly dayAt: (x: number, y: number) => number;
  readonly children: ComponentChildren;
}

export function DaySlider({ label, count, at, text, onChoose, dayAt, children }: DaySliderProps): JSX.Element {
  const slider = useRef<HTMLDivElement>(null);
  const choose = (wanted: number) => onChoose(Math.max(0, Math.min(count - 1, wanted)));

  useLayoutEffect(() => {
    // Start at the latest days.
    if (slider.current) slider.current.scrollLeft = slider.current.scrollWidth;
  }, []);
  useLayoutEffect(() => {
    if (document.activeElement !== slider.current) return;
    slider.current?.querySelector(".cursor")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [at]);

  const point = (event: TargetedMouseEvent<HTMLElement>) => {
    const picture = event.currentTarget.querySelector("svg")?.getBoundingClientRect();
    if (picture === undefined) return;
    const x = (event.clientX - picture.left) / picture.width;
    const y = (event.clientY - picture.top) / picture.height;
    if (x >= 0 && x <= 1 && y >= 0 && y <= 1) choose(dayAt(x, y));
  };
  return (
    <div
      class="day-slider"
      ref={slider}
      dir="ltr"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={at + 1}
      aria-valuetext={text}
      onPointerMove={(event) => event.pointerType === "mouse" && point(event)}
      onClick={point}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
        const target = targetOf(event.key, at, count);
        if (target === undefined) return;
        event.preventDefault();
        choose(target);
      }}
    >
      {children}
    </div>
  );
}

/** Columns are weeks, rows are weekdays. */
function targetOf(key: string, at: number, count: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: at + 7,
    ArrowLeft: at - 7,
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + 28,
    PageUp: at - 28,
    Home: 0,
    End: count - 1,
  };
  return targets[key];
}

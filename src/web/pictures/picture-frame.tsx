/** A picture with its heading, the chosen day's numbers, and a table. */
import type { JSX, RefObject, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { WORDS } from "../words.js";
import { REVIEW_WORDS } from "../later-words.js";
import type { YearDay } from "../state/review.js";

interface PictureFrameProps extends YearPictureProps {
  /** CSS class. */
  readonly name: string;
  readonly heading: string;
  readonly readout: string;
  readonly columns: readonly string[];
  /** Called when the table is open. */
  readonly rows: () => readonly (readonly [string, ...number[]])[];
  readonly legend?: JSX.Element;
  /** @param room in units; a wider picture scrolls */
  readonly draw: (room: number) => Picture;
}

export interface YearPictureProps {
  readonly days: readonly YearDay[];
  /** Of the chosen day. */
  readonly at: number;
  readonly onChoose: (at: number) => void;
}

export interface Picture {
  /** In units. */
  readonly width: number;
  readonly height: number;
  /** Parts independent of the chosen day. */
  readonly drawn: JSX.Element;
  readonly cursorAt: (at: number) => JSX.Element;
  /** @param x in units */
  readonly dayAt: (x: number, y: number) => number;
}

export function PictureFrame(props: PictureFrameProps): JSX.Element {
  const { name, heading, readout, columns, rows, legend, draw, days, at, onChoose } = props;
  const [isOpen, setOpen] = useState(false);
  const [place, room] = useRoom();
  const picture = useMemo(() => (room > 0 ? draw(room) : undefined), [days, room]);
  useLayoutEffect(() => {
    // Start at the latest days.
    if (place.current) place.current.scrollLeft = place.current.scrollWidth;
  }, [room > 0]);
  const point = ({ currentTarget, clientX, clientY }: TargetedMouseEvent<SVGSVGElement>) => {
    const { left, top, width } = currentTarget.getBoundingClientRect();
    const unit = width / (picture?.width ?? 1);
    const day = picture?.dayAt((clientX - left) / unit, (clientY - top) / unit) ?? 0;
    onChoose(Math.max(0, Math.min(days.length - 1, day)));
  };
  return (
    <section class="picture panel" aria-labelledby={`picture-${name}`}>
      <header class="row wrap">
        <h2 id={`picture-${name}`}>{heading}</h2>
        <p class="readout hint">{readout}</p>
      </header>
      <div class="days-picture" ref={place} dir="ltr" tabIndex={0} role="group" aria-label={heading}>
        {picture && (
          <svg
            class={name}
            width={`${picture.width / UNITS_PER_REM}rem`}
            viewBox={`0 0 ${picture.width} ${picture.height}`}
            aria-hidden="true"
            onPointerMove={(event) => event.pointerType === "mouse" && point(event)}
            onClick={point}
          >
            {picture.drawn}
            {days.length > 0 && picture.cursorAt(at)}
          </svg>
        )}
      </div>
      {legend}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="hint">{REVIEW_WORDS.asTable}</summary>
        {isOpen && (
          <div class="numbers" tabIndex={0} role="region" aria-label={REVIEW_WORDS.tableOf(heading)}>
            <table>
              <thead>
                <tr>
                  {columns.map((column) => (
                    <th key={column} scope="col">
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows().map(([day, ...numbers]) => (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    {numbers.map((number, column) => (
                      <td key={columns[column]}>{WORDS.number(number)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </details>
    </section>
  );
}

/** A pixel, unless the root's letters are enlarged. */
const UNITS_PER_REM = 16;

/** The container's width in units, 0 until measured; letters keep their size. */
function useRoom(): readonly [place: RefObject<HTMLDivElement | null>, room: number] {
  const place = useRef<HTMLDivElement>(null);
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
  }, []);
  return [place, width];
}

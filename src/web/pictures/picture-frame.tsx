/** A picture with its heading, the chosen day's numbers, and a table of all. */
import type { ComponentChildren, JSX, RefObject, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { WORDS } from "../words.js";
import { REVIEW_WORDS } from "../later-words.js";

interface PictureFrameProps {
  readonly count: number;
  readonly onChoose: (at: number) => void;
  /** `x` and `y` are shares of the picture's width and height. */
  readonly dayAt: (x: number, y: number) => number;
  readonly children: ComponentChildren;
  /** The picture's class. */
  readonly name: string;
  readonly heading: string;
  readonly readout: string;
  readonly columns: readonly string[];
  /** Asked for when the table is open. */
  readonly rows: () => readonly (readonly [string, ...number[]])[];
  readonly legend?: JSX.Element;
  /** Its width is the picture's. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** Width and height in units; undefined until measured. */
  readonly size: readonly [width: number, height: number] | undefined;
}

export function PictureFrame(props: PictureFrameProps): JSX.Element {
  const { name, heading, readout, columns, rows, place, size, legend, children, count, onChoose, dayAt } = props;
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    // Start at the latest days.
    if (place.current) place.current.scrollLeft = place.current.scrollWidth;
  }, [size !== undefined]);
  const point = ({ currentTarget, clientX, clientY }: TargetedMouseEvent<SVGSVGElement>) => {
    const picture = currentTarget.getBoundingClientRect();
    const day = dayAt((clientX - picture.left) / picture.width, (clientY - picture.top) / picture.height);
    onChoose(Math.max(0, Math.min(count - 1, day)));
  };
  return (
    <section class="picture panel" aria-labelledby={`picture-${name}`}>
      <header class="row wrap">
        <h2 id={`picture-${name}`}>{heading}</h2>
        <p class="readout hint">{readout}</p>
      </header>
      <div class="days-picture" ref={place} dir="ltr" tabIndex={0} role="group" aria-label={heading}>
        {size && (
          <svg
            class={name}
            width={`${size[0] / UNITS_PER_REM}rem`}
            viewBox={`0 0 ${size[0]} ${size[1]}`}
            aria-hidden="true"
            onPointerMove={(event) => event.pointerType === "mouse" && point(event)}
            onClick={point}
          >
            {children}
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

/** A unit is a pixel unless the root's letters are enlarged. */
const UNITS_PER_REM = 16;

/** The width of the container; the picture's letters keep their size. */
export function usePictureWidth(): readonly [place: RefObject<HTMLDivElement | null>, width: number] {
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

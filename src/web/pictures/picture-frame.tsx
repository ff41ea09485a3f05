/** A picture with its heading, the chosen day's numbers, and a table of all. */
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DaySlider, type DaySliderProps } from "./day-slider.js";
import { WORDS } from "../words.js";

interface PictureFrameProps extends Omit<DaySliderProps, "label" | "text"> {
  /** The picture's class. */
  readonly name: string;
  readonly heading: string;
  readonly readout: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly [string, ...number[]])[];
  readonly legend?: JSX.Element;
  /** Its width is the picture's. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** Width and height in units; undefined until measured. */
  readonly size: readonly [width: number, height: number] | undefined;
}

export function PictureFrame(props: PictureFrameProps): JSX.Element {
  const { name, heading, readout, columns, rows, place, size, legend, children, ...slider } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="picture panel" aria-labelledby={`picture-${name}`}>
      <header class="row wrap">
        <h2 id={`picture-${name}`}>{heading}</h2>
        <p class="readout hint">{readout}</p>
      </header>
      <div ref={place}>
        {size && (
          <DaySlider {...slider} label={heading} text={readout}>
            <svg
              class={name}
              width={`${size[0] / UNITS_PER_REM}rem`}
              viewBox={`0 0 ${size[0]} ${size[1]}`}
              aria-hidden="true"
            >
              {children}
            </svg>
          </DaySlider>
        )}
      </div>
      {legend}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="hint">{WORDS.asTable}</summary>
        {isOpen && (
          <div class="numbers" tabIndex={0} role="region" aria-label={WORDS.tableOf(heading)}>
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
                {rows.map(([day, ...numbers]) => (
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

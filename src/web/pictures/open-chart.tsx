/** Open tasks per day of a year, as a line. */
import type { JSX } from "preact";
import { fullDay, monthText } from "../state/days.js";
import { WORDS } from "../words.js";
import { REVIEW_WORDS } from "../later-words.js";
import { type Picture, PictureFrame, type YearPictureProps } from "./picture-frame.js";
import { axisTicks, type YearDay, yearWeeks } from "../state/review.js";

const HEIGHT = 176;
const TOP = 10;
const BOTTOM = HEIGHT - 24;
/** Room for the scale's numbers before the days. */
const MIN_START = 36;
/** Width of a digit of the scale. */
const DIGIT = 7;
const END_ROOM = 8;
/** Narrower charts name every third month. */
const WIDE = 560;

export function OpenChart(props: YearPictureProps): JSX.Element {
  const { days } = props;
  const chosen = days[props.at];
  const text = chosen === undefined ? "" : REVIEW_WORDS.openOn(fullDay(chosen.day), chosen.open);
  const rows = () =>
    yearWeeks(days)
      .toReversed()
      .map(({ day, open, created, done }) => [fullDay(day), open, created, done] as const);
  return (
    <PictureFrame
      {...props}
      name="open-chart"
      heading={REVIEW_WORDS.openOverTime}
      readout={text}
      columns={REVIEW_WORDS.weekColumns}
      rows={rows}
      draw={(room) => pictureOf(days, room)}
    />
  );
}

function pictureOf(days: readonly YearDay[], width: number): Picture {
  const counts = days.map(({ open }) => open);
  const ticks = axisTicks(Math.min(...counts), Math.max(...counts));
  const [least = 0, top = 1] = [ticks[0], ticks.at(-1)];
  const last = Math.max(1, days.length - 1);
  const start = Math.max(MIN_START, 8 + DIGIT * WORDS.number(top).length);
  const room = width - start - END_ROOM;
  const x = (index: number) => start + (index / last) * room;
  const y = (open: number) => BOTTOM - ((open - least) / (top - least)) * (BOTTOM - TOP);
  const line = days.map(({ open }, index) => `${index === 0 ? "M" : "L"}${tenth(x(index))} ${tenth(y(open))}`).join("");
  const drawn = (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid-line" x1={start} x2={width - END_ROOM} y1={y(tick)} y2={y(tick)} />
          <text class="tick-text" x={start - 8} y={y(tick) + 4}>
            {WORDS.number(tick)}
          </text>
        </g>
      ))}
      {monthStarts(days, width < WIDE ? 3 : 1).map(({ index, name }) => (
        <text key={index} class="month" x={x(index)} y={HEIGHT - 6}>
          {name}
        </text>
      ))}
      <path class="line" d={line} />
    </>
  );
  const cursorAt = (at: number) => (
    <>
      <line class="cursor" x1={x(at)} x2={x(at)} y1={TOP} y2={BOTTOM} />
      <circle class="cursor-dot" cx={x(at)} cy={y(days[at]?.open ?? 0)} r="4" />
    </>
  );
  return { width, height: HEIGHT, drawn, cursorAt, dayAt: (units) => Math.round(((units - start) / room) * last) };
}

/** The first of each or of every third month, if its name fits. */
function monthStarts(
  days: readonly YearDay[],
  step: number,
): readonly { readonly index: number; readonly name: string }[] {
  const starts = days.flatMap(({ day }, index) => (day.endsWith("-01") ? [{ index, name: monthText(day) }] : []));
  return starts.filter(({ index }, place) => place % step === 0 && index < days.length - 14);
}

const tenth = (units: number) => Math.round(units * 10) / 10;

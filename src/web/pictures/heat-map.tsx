/** A square for each day of 53 weeks, stronger the more was done. */
import type { JSX } from "preact";
import { fullDay, monthText, weekdayText } from "../state/days.js";
import { REVIEW_WORDS } from "../later-words.js";
import { type Picture, PictureFrame, type YearPictureProps } from "./picture-frame.js";
import { strongest, WEEKS_SHOWN, type YearDay } from "../state/review.js";

const START = 36;
const TOP = 20;
/** Includes the gap. */
const MIN_STEP = 12;
const GREATEST_STEP = 22;
const GAP = 3;
const LEVELS = [0, 1, 2, 3, 4] as const;
/** Weeks that a month's name covers. */
const NAME_WEEKS = 3;

export function HeatMap(props: YearPictureProps): JSX.Element {
  const { days } = props;
  const chosen = days[props.at];
  const text = chosen === undefined ? "" : REVIEW_WORDS.doneOnDay(fullDay(chosen.day), chosen.done, chosen.created);
  const rows = () =>
    days
      .filter(({ done, created }) => done + created > 0)
      .toReversed()
      .map(({ day, done, created }) => [fullDay(day), done, created] as const);
  return (
    <PictureFrame
      {...props}
      name="heat-map"
      heading={REVIEW_WORDS.doneByDay}
      readout={text}
      columns={REVIEW_WORDS.dayColumns}
      rows={rows}
      draw={(room) => pictureOf(days, Math.max(MIN_STEP, Math.min(GREATEST_STEP, (room - START) / WEEKS_SHOWN)))}
      legend={
        <p class="legend row label" aria-hidden="true">
          {REVIEW_WORDS.nothingDone}
          <svg width="5.5rem" viewBox="0 0 88 14">
            {LEVELS.map((level) => (
              <Level key={level} level={level} x={level * 18 + 1} y="0" width="14" height="14" />
            ))}
          </svg>
          {REVIEW_WORDS.orMore(strongest(days))}
        </p>
      }
    />
  );
}

function Level({ level, ...place }: JSX.IntrinsicElements["rect"] & { readonly level: number }): JSX.Element {
  return <rect class="level" style={{ "--level": level }} rx="3" {...place} />;
}

function placeOf(index: number, step: number) {
  const side = step - GAP;
  return { x: START + Math.floor(index / 7) * step, y: TOP + (index % 7) * step, width: side, height: side };
}

function pictureOf(days: readonly YearDay[], step: number): Picture {
  const most = strongest(days);
  const drawn = (
    <>
      {[0, 2, 4].map((weekday) => (
        <text key={weekday} class="weekday" x={START - 8} y={TOP + weekday * step + step / 2 + 2}>
          {weekdayText(days[weekday]?.day ?? "")}
        </text>
      ))}
      {monthNames(days).map(({ week, name }) => (
        <text key={week} class="month" x={START + week * step} y="12">
          {name}
        </text>
      ))}
      {days.map(({ day, done }, index) => (
        <Level key={day} level={Math.min(4, Math.ceil((done / most) * 4))} {...placeOf(index, step)} />
      ))}
    </>
  );
  return {
    width: START + step * WEEKS_SHOWN,
    height: TOP + step * 7,
    drawn,
    cursorAt: (at) => <rect class="cursor" {...placeOf(at, step)} rx="3" />,
    dayAt: (x, y) => Math.floor((x - START) / step) * 7 + Math.max(0, Math.floor((y - TOP) / step)),
  };
}

/** Over the first week that begins in the month, if it fits. */
function monthNames(days: readonly YearDay[]): readonly { readonly week: number; readonly name: string }[] {
  const names = days.flatMap(({ day }, index) => {
    const isNew = index % 7 === 0 && day.slice(0, 7) !== days[index - 7]?.day.slice(0, 7);
    return isNew ? [{ week: index / 7, name: monthText(day) }] : [];
  });
  return names.filter(({ week }, place) => (names[place + 1]?.week ?? WEEKS_SHOWN) - week >= NAME_WEEKS);
}

/** A month of days, with the keys of the ARIA date grid. */
import { type Signal, useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { dayAfter, fullDay, mondayOf, monthAfter, monthName, weekdayText } from "../state/days.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";

/** Limits of the grid; text fields accept others. */
const MIN_DAY = "1900-01-01";
const MAX_DAY = "2199-12-31";
const WEEKS = 6;
/** The strongest mark of a day. */
const MAX_MARKS = 3;

interface MonthGridProps {
  /** The chosen day, or any day of the month to show. */
  readonly day: string;
  readonly label: string;
  readonly marksWeek?: boolean;
  /** Reports the first day shown, from which tasks are counted. */
  readonly countsFrom?: Signal<string | undefined>;
  readonly counts?: ReadonlyMap<string, number> | undefined;
  readonly onChoose: (day: string) => void;
}

export function MonthGrid(props: MonthGridProps): JSX.Element {
  const { day, label, marksWeek = false, countsFrom, counts, onChoose } = props;
  const today = usePage().connection.today.value;
  const grid = useRef<HTMLTableElement>(null);
  const at = useSignal(inGrid(day));
  const takesFocus = useRef(false);
  useLayoutEffect(() => {
    at.value = inGrid(day);
  }, [day]);
  useLayoutEffect(() => {
    if (takesFocus.current) grid.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    takesFocus.current = false;
  });
  const month = at.value.slice(0, 7);
  const first = mondayOf(`${month}-01`);
  useLayoutEffect(() => {
    if (countsFrom) countsFrom.value = first;
  }, [first]);
  const isMarked = (one: string) => (marksWeek ? mondayOf(one) === mondayOf(day) : one === day);
  const turn = (months: number) => (at.value = inGrid(monthAfter(at.value, months)));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const now = at.value;
    const target = {
      ArrowLeft: dayAfter(now, -1),
      ArrowRight: dayAfter(now, 1),
      ArrowUp: dayAfter(now, -7),
      ArrowDown: dayAfter(now, 7),
      Home: mondayOf(now),
      End: dayAfter(mondayOf(now), 6),
      PageUp: monthAfter(now, event.shiftKey ? -12 : -1),
      PageDown: monthAfter(now, event.shiftKey ? 12 : 1),
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    takesFocus.current = true;
    at.value = inGrid(target);
  };
  return (
    <div class="month stack">
      <div class="month-heading row">
        <Button icon="back" class="quiet" aria-label={WORDS.previousMonth} onClick={() => turn(-1)} />
        <strong aria-live="polite">{monthName(at.value)}</strong>
        <Button icon="forward" class="quiet" aria-label={WORDS.nextMonth} onClick={() => turn(1)} />
      </div>
      <table role="grid" aria-label={label} ref={grid} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {weekFrom(first).map((one) => (
              <th key={one} class="label" scope="col" abbr={weekdayText(one)}>
                {weekdayText(one).slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: WEEKS }, (_, week) => (
            <tr key={week}>
              {weekFrom(dayAfter(first, week * 7)).map((one) => (
                <td key={one} role="gridcell" aria-selected={isMarked(one)}>
                  <Button
                    class={one.startsWith(month) ? undefined : "outside"}
                    tabIndex={one === at.value ? 0 : -1}
                    aria-label={WORDS.dayWithTasks(fullDay(one), counts?.get(one) ?? 0)}
                    data-tasks={Math.min(counts?.get(one) ?? 0, MAX_MARKS) || undefined}
                    aria-current={one === today ? "date" : undefined}
                    onClick={() => onChoose(one)}
                  >
                    {Number(one.slice(8))}
                  </Button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const inGrid = (day: string): string => (day < MIN_DAY ? MIN_DAY : day > MAX_DAY ? MAX_DAY : day);

export function weekFrom(day: string): readonly string[] {
  return Array.from({ length: 7 }, (_, index) => dayAfter(day, index));
}

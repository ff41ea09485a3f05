/** The menu of a card: statuses and days, for people who do not drag (WCAG 2.5.7). */
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dayAfter, mondayAfter } from "../state/days.js";
import { usePage } from "../state/page.js";
import { select } from "../state/shortcuts.js";
import { dueQuestion, setDue, setPriority, setStatus, statusName } from "../state/task-actions.js";
import { canHold, COLUMN_STATUSES, ROW_PRIORITIES, type TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

const GAP_PX = 4;

export interface MoveMenuProps {
  readonly task: TaskRow;
  readonly anchor: HTMLElement;
  readonly today: string;
}

export function MoveMenu({ task, anchor, today }: MoveMenuProps): JSX.Element {
  const page = usePage();
  const menu = useRef<HTMLDivElement>(null);
  const { status, priority } = page.changes.seen(task);

  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return undefined;
    element.showPopover();
    place(element, anchor);
    element.querySelector<HTMLElement>("[aria-checked=true], [role^=menuitem]")?.focus();
    const observer = new ResizeObserver(() => place(element, anchor));
    observer.observe(element);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [anchor]);

  const leave = () => {
    page.closeOverlay();
    const card = anchor.closest("[data-task]") ?? anchor;
    if (card.isConnected) card.querySelector<HTMLElement>(".card-title")?.focus();
  };
  const days = [
    [WORDS.capital(WORDS.dayToday), today],
    [WORDS.capital(WORDS.dayTomorrow), dayAfter(today, 1)],
    [WORDS.nextWeek, mondayAfter(today)],
    [WORDS.noDate, ""],
  ] as const;
  return (
    <div
      class="menu"
      ref={menu}
      popover="auto"
      role="menu"
      aria-label={WORDS.actions(task.title)}
      onKeyDown={(event) => {
        if (event.key === "Escape" || event.key === "Tab") leave();
        else if (!moveInMenu(event)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onToggle={(event) => {
        if (event.newState === "closed" && page.overlay.value.kind === "move") page.closeOverlay();
      }}
    >
      <div role="group" aria-label={WORDS.moveTo}>
        <p class="menu-heading" aria-hidden="true">
          {WORDS.moveTo}
        </p>
        {COLUMN_STATUSES.filter((one) => canHold(task, one)).map((one, index) => (
          <button
            type="button"
            key={one}
            role="menuitemradio"
            aria-checked={one === status}
            tabIndex={-1}
            data-status={one}
            onClick={() => {
              leave();
              void setStatus(page, task, one);
            }}
          >
            <span class="status-dot" />
            {statusName(one)}
            <kbd aria-hidden="true">{index + 1}</kbd>
          </button>
        ))}
      </div>
      <div role="group" aria-label={WORDS.postponeTo}>
        <p class="menu-heading" aria-hidden="true">
          {WORDS.postponeTo}
        </p>
        {days.map(([name, day]) => (
          <button
            type="button"
            key={name}
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              leave();
              void setDue(page, task, day, today);
            }}
          >
            {name}
          </button>
        ))}
        <button
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            leave();
            page.overlay.value = { kind: "ask", question: dueQuestion(page, task) };
          }}
        >
          {WORDS.pickDate}
          <kbd aria-hidden="true">d</kbd>
        </button>
      </div>
      <div role="group" aria-label={WORDS.fieldNames.priority}>
        <p class="menu-heading" aria-hidden="true">
          {WORDS.fieldNames.priority}
        </p>
        {ROW_PRIORITIES.map((one) => (
          <button
            type="button"
            key={one}
            role="menuitemradio"
            aria-checked={one === priority}
            tabIndex={-1}
            onClick={() => {
              leave();
              void setPriority(page, task, one);
            }}
          >
            {WORDS.priorities[one]}
          </button>
        ))}
      </div>
      <div role="group" aria-label={WORDS.selection}>
        <button
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            leave();
            select(page, task);
          }}
        >
          {page.selection.has(task.id) ? WORDS.deselect : WORDS.select}
          <kbd aria-hidden="true">x</kbd>
        </button>
      </div>
    </div>
  );
}

/** Below its anchor, or above it when there is no space. */
function place(menu: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = Math.max(GAP_PX, Math.min(at.right - width, innerWidth - width - GAP_PX));
  const below = at.bottom + GAP_PX;
  const top = below + height < innerHeight ? below : Math.max(GAP_PX, at.top - height - GAP_PX);
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}

function moveInMenu(event: TargetedKeyboardEvent<HTMLElement>): boolean {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const at = items.findIndex((item) => item === document.activeElement);
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (target === undefined) return false;
  items[(target + items.length) % items.length]?.focus();
  return true;
}

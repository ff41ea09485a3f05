/** The menu of a card, for people who do not drag (WCAG 2.5.7). */
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { nearDays } from "../state/days.js";
import { usePage } from "../state/page.js";
import { select } from "../state/shortcuts.js";
import { askFor, setDue, setPriority, setStatus, statusName } from "../state/task-actions.js";
import { canHold, ROW_PRIORITIES, OFFERED_STATUSES, type TaskRow } from "../state/task-row.js";
import { WORDS } from "../words.js";

const GAP_PX = 4;
const FIELDS = ["lane", "area", "parentProjects", "tags"] as const;
/** Keys that work on a focused card. */
const STATUS_KEYS: Readonly<Record<string, string>> = { "To Do": "1", "In Progress": "2", Blocked: "3", Done: "4" };

interface MoveMenuProps {
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
  const groups: readonly { readonly label: string; readonly items: readonly MenuItem[] }[] = [
    {
      label: WORDS.moveTo,
      items: OFFERED_STATUSES.filter((one) => canHold(task, one)).map((one) => ({
        name: statusName(one),
        status: one,
        isChecked: one === status,
        key: STATUS_KEYS[one],
        act: () => void setStatus(page, task, one),
      })),
    },
    {
      label: WORDS.postponeTo,
      items: [
        ...nearDays(today).map(([name, day]) => ({ name, act: () => void setDue(page, task, day, today) })),
        { name: WORDS.pickDate, key: "d", act: () => askFor(page, task, "dueDate") },
      ],
    },
    {
      label: WORDS.fieldNames.priority,
      items: ROW_PRIORITIES.map((one) => ({
        name: WORDS.priorities[one],
        isChecked: one === priority,
        act: () => void setPriority(page, task, one),
      })),
    },
    {
      label: WORDS.change,
      items: [
        ...(task.board === undefined
          ? []
          : [{ name: WORDS.openKanban, act: () => page.address.show("kanban", { path: task.path }) }]),
        ...FIELDS.filter((field) => field !== "lane" || task.board !== undefined).map((field) => ({
          name: WORDS.ask(WORDS.fieldNames[field]),
          act: () => askFor(page, task, field),
        })),
        {
          name: page.selection.has(task.id) ? WORDS.deselect : WORDS.select,
          key: "x",
          act: () => void select(page, task),
        },
      ],
    },
  ];
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
      {groups.map(({ label, items }) => (
        <div role="group" aria-label={label} key={label}>
          <p class="menu-heading label" aria-hidden="true">
            {label}
          </p>
          {items.map(({ name, status: dot, isChecked, key, act }) => (
            <Button
              key={name}
              role={isChecked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={isChecked}
              tabIndex={-1}
              data-status={dot}
              onClick={() => {
                leave();
                act();
              }}
            >
              {dot !== undefined && <span class="status-dot" />}
              {name}
              {key !== undefined && <kbd aria-hidden="true">{key}</kbd>}
            </Button>
          ))}
        </div>
      ))}
    </div>
  );
}

interface MenuItem {
  readonly name: string;
  readonly act: () => void;
  /** The key that does the same on a focused card. */
  readonly key?: string | undefined;
  /** Set only for a choice. */
  readonly isChecked?: boolean;
  readonly status?: string;
}

/** Below the anchor, or above it without space below. */
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

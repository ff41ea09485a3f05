/** A card's menu: the alternative to dragging (WCAG 2.5.7). */
import { useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./controls.js";
import { nearDays } from "../state/days.js";
import { usePage } from "../state/page.js";
import { select, stepTo } from "../state/shortcuts.js";
import { askFor, askForBlocker, changeNow, setDays, setStatus, statusName } from "../state/task-actions.js";
import { canHold, isColumnStatus, ROW_PRIORITIES, OFFERED_STATUSES, rowPath, type TaskRow } from "../state/task-row.js";
import { plainTitle } from "../state/title.js";
import { WORDS } from "../words.js";
import { placeAt } from "./dialog.js";

const ASKED = ["lane", "area", "parentProjects", "tags"] as const;

interface MoveMenuProps {
  readonly task: TaskRow;
  readonly anchor: HTMLElement;
}

export function MoveMenu({ task, anchor }: MoveMenuProps): JSX.Element {
  const page = usePage();
  const menu = useRef<HTMLDivElement>(null);
  const { status, priority = "Medium" } = page.changes.seen(task);
  const isMore = useSignal(false);
  const isOnBoard = task.board !== undefined;

  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return undefined;
    if (!element.matches(":popover-open")) element.showPopover();
    placeAt(element, anchor);
    element.querySelector<HTMLElement>("[aria-checked=true], [role^=menuitem]")?.focus();
    const observer = new ResizeObserver(() => placeAt(element, anchor));
    observer.observe(element);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [anchor, isMore.value]);

  const leave = () => {
    page.closeOverlay();
    const card = anchor.closest("[data-task]") ?? anchor;
    if (card.isConnected) card.querySelector<HTMLElement>(".card-title, .row-title")?.focus();
  };
  const groups: readonly { readonly label: string; readonly items: readonly MenuItem[] }[] = [
    {
      label: WORDS.moveTo,
      items: OFFERED_STATUSES.filter((one) => canHold(task, one)).map((one) => ({
        name: statusName(one),
        status: one,
        isChecked: one === status,
        key: isColumnStatus(one) ? OFFERED_STATUSES.indexOf(one) + 1 : undefined,
        act: () => void setStatus(page, task, one),
      })),
    },
    {
      label: WORDS.postponeTo,
      items: [
        ...nearDays(page.connection.today.value).map(([name, day]) => ({
          name,
          act: () => void setDays(page, task, { dueDate: day }),
        })),
        { name: WORDS.pickDate, key: "d", act: () => askFor(page, task, "dueDate") },
      ],
    },
    {
      label: WORDS.fieldNames.priority,
      items: ROW_PRIORITIES.map((one) => ({
        name: WORDS.priorities[one],
        isChecked: one === priority,
        act: () => void changeNow(page, task, { priority: one }),
      })),
    },
    {
      label: WORDS.change,
      items: [
        ...(isOnBoard
          ? [{ name: WORDS.openKanban, act: () => page.address.show("kanban", { path: rowPath(task) }) }]
          : []),
        ...ASKED.slice(isOnBoard ? 0 : 1).map((field) => ({
          name: WORDS.ask(WORDS.fieldNames[field]),
          act: () => askFor(page, task, field),
        })),
        { name: WORDS.ask(WORDS.fieldNames.blockedBy), key: "b", act: () => askForBlocker(page, task) },
        {
          name: page.selection.has(task.id) ? WORDS.deselect : WORDS.select,
          key: "x",
          act: () => void select(page, task),
        },
      ],
    },
  ];
  // Two levels, so that neither is long.
  const shown = groups.slice(...(isMore.value ? [2] : [0, 2]));
  return (
    <div
      class="menu"
      ref={menu}
      popover="auto"
      role="menu"
      aria-label={WORDS.actions(plainTitle(task.title))}
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
      {shown.map(({ label, items }) => (
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
      {!isMore.value && (
        <Button role="menuitem" tabIndex={-1} onClick={() => (isMore.value = true)}>
          {WORDS.ask(WORDS.moreActions)}
        </Button>
      )}
    </div>
  );
}

interface MenuItem {
  readonly name: string;
  readonly act: () => void;
  /** The equivalent key on a focused card. */
  readonly key?: string | number | undefined;
  /** Set only for a choice. */
  readonly isChecked?: boolean;
  readonly status?: string;
}

function moveInMenu(event: TargetedKeyboardEvent<HTMLElement>): boolean {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const target = stepTo(event.key, items.indexOf(document.activeElement as HTMLElement), items.length);
  if (target === undefined) return false;
  items[(target + items.length) % items.length]?.focus();
  return true;
}

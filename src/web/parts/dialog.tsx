/** A modal dialog with the page's messages. */
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./controls.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";

/** The uppermost open dialog shows the messages. */
export const openDialogs = signal(0);

const NARROW_PX = 736;
const GAP_PX = 4;

/** Below the anchor, or above it if there is no space. */
export function placeAt(element: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = element;
  const isEnd = element.popover !== null;
  const left = Math.min(isEnd ? at.right - width : at.left, innerWidth - width - GAP_PX);
  const below = at.bottom + GAP_PX;
  const top = below + height < innerHeight ? below : Math.max(GAP_PX, at.top - height - GAP_PX);
  Object.assign(element.style, { margin: 0, left: `${Math.max(GAP_PX, left)}px`, top: `${top}px` });
}

interface DialogProps {
  readonly label: string;
  readonly name: string;
  /** Default: yes, the label. */
  readonly hasHeading?: boolean;
  /** `data-first-focus` marks the initial focus. */
  readonly children: ComponentChildren;
  /** In a wide window the dialog is next to it. */
  readonly anchor?: Element | undefined;
  /** Absent if an answer is required. */
  readonly onClose?: (() => void) | undefined;
}

export function Dialog({ label, name, hasHeading = true, anchor, children, onClose }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [depth, setDepth] = useState(0);

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    if (element && anchor?.isConnected && innerWidth > NARROW_PX) placeAt(element, anchor);
    element?.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    setDepth(++openDialogs.value);
    return () => {
      openDialogs.value--;
      element?.close();
    };
  }, []);

  return (
    <dialog
      class={`dialog ${name}`}
      ref={dialog}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onPointerDown={(event) => {
        // A press outside hits the backdrop.
        if (event.target === dialog.current) onClose?.();
      }}
    >
      <div class="dialog-body stack" tabIndex={-1} autofocus>
        {onClose && <Button icon="close" class="quiet close" aria-label={WORDS.close} onClick={onClose} />}
        {hasHeading && <h2>{label}</h2>}
        {children}
      </div>
      {depth > 0 && depth === openDialogs.value && <NoticeList />}
    </dialog>
  );
}

/** Announced politely, with their undo. */
export function NoticeList(): JSX.Element {
  const { notices, connection } = usePage();
  const pause = () => notices.pause();
  const resume = () => notices.resume();
  return (
    <div
      class="notices stack"
      role="status"
      onMouseEnter={pause}
      onMouseLeave={resume}
      onFocusIn={pause}
      onFocusOut={resume}
    >
      {notices.shown.value.map((notice) => (
        <div class={notice.isFailure ? "notice row failure" : "notice row"} key={notice.id}>
          <p dir="auto">{notice.text}</p>
          {notice.undo && (
            <Button
              class="undo"
              disabled={notice.label === undefined && !connection.canWrite.value}
              onClick={() => void notices.undo(notice)}
            >
              {notice.label ?? WORDS.undo}
            </Button>
          )}
          <Button icon="close" class="quiet" aria-label={WORDS.dismiss} onClick={() => notices.dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}

/** The page's messages, announced politely, with their undo. */
import type { JSX } from "preact";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

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
            <button
              type="button"
              class="undo"
              disabled={!connection.canWrite.value}
              onClick={() => void notices.undo(notice)}
            >
              {WORDS.undo}
            </button>
          )}
          <button type="button" class="quiet" aria-label={WORDS.dismiss} onClick={() => notices.dismiss(notice.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

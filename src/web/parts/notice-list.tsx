/** The page's messages, announced politely, with their undo. */
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";

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

/** The page's messages, read out politely; each stays while it is looked at and has its way back. */
import type { JSX } from "preact";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { Icon } from "./icon.js";

export function NoticeList(): JSX.Element {
  const { notices, connection } = usePage();
  const pause = () => notices.pause();
  const resume = () => notices.resume();
  return (
    <div class="notices" role="status" onMouseEnter={pause} onMouseLeave={resume} onFocusIn={pause} onFocusOut={resume}>
      {notices.shown.value.map(({ id, text, isFailure, undo }) => (
        <div class={isFailure ? "notice failure" : "notice"} key={id}>
          <p>{text}</p>
          {undo && (
            <button
              type="button"
              class="undo"
              disabled={!connection.canWrite.value}
              onClick={() => {
                notices.dismiss(id);
                void undo();
              }}
            >
              {WORDS.undo}
            </button>
          )}
          <button type="button" class="quiet" aria-label={WORDS.dismiss} onClick={() => notices.dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

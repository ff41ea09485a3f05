/** The App's page: a list in the conversation, the board in full screen. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../parts/icon.js";
import { NoticeList } from "../parts/notice-list.js";
import { openDialogs } from "../parts/dialog.js";
import { usePage } from "../state/page.js";
import { pressOnPage } from "../state/shortcuts.js";
import { Overlays } from "../views/overlays.js";
import { BoardView } from "../views/board-view.js";
import { WORDS } from "../words.js";
import { GivenAnswer } from "./given-answer.js";
import type { Host } from "./host.js";

export function HostedPage({ host }: { readonly host: Host }): JSX.Element {
  const page = usePage();
  const given = host.given.value;
  const canChangeMode = host.canFill.value && page.connection.offers("search_tasks");
  const showsBoard = host.isFullscreen.value && page.connection.offers("search_tasks");
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (pressOnPage(page, event)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [page]);
  return (
    <>
      <main class={showsBoard ? "hosted filling" : "hosted"}>
        {showsBoard ? (
          <>
            {canChangeMode && <ModeButton host={host} />}
            <BoardView />
          </>
        ) : (
          <>
            {given.kind === "waiting" && (
              <p class="loading" role="status">
                {WORDS.loading}
              </p>
            )}
            {given.kind === "cancelled" && <p class="empty">{WORDS.cancelled}</p>}
            {given.kind === "failed" && (
              <p class="problem" role="alert">
                {given.text}
              </p>
            )}
            {given.kind === "answer" && <GivenAnswer key={given.number} host={host} answer={given} />}
            {canChangeMode && <ModeButton host={host} />}
          </>
        )}
      </main>
      <Overlays />
      {openDialogs.value === 0 && <NoticeList />}
    </>
  );
}

function ModeButton({ host }: { readonly host: Host }): JSX.Element {
  const page = usePage();
  const isFull = host.isFullscreen.value;
  return (
    <button
      type="button"
      class="mode-button"
      onClick={() => {
        host.show(isFull ? "inline" : "fullscreen").catch((error: Error) => page.notices.fail(error.message));
      }}
    >
      <Icon name={isFull ? "today" : "board"} /> {isFull ? WORDS.backToList : WORDS.openBoard}
    </button>
  );
}

/** The App in a host's frame: a list in the conversation, the board in full screen. */
import { type JSX, render } from "preact";
import { Button, ignoreStrayClicks } from "../parts/controls.js";
import { NoticeList, openDialogs } from "../parts/dialog.js";
import { PageAddress } from "../state/address.js";
import { PageContext, TasksPage } from "../state/page.js";
import { usePageKeys } from "../state/shortcuts.js";
import BoardView from "../views/board-view.js";
import { Overlays } from "../views/overlays.js";
import { WORDS } from "../words.js";
import { GivenAnswer } from "./given-answer.js";
import { Host } from "./host.js";
import { APP_WORDS } from "../later-words.js";

const host = new Host(window.parent);
const page = new TasksPage(host, new PageAddress("memory"));

function HostedPage(): JSX.Element {
  const given = host.given.value;
  const { displayMode, availableDisplayModes = [] } = host.context.value;
  const isFull = displayMode === "fullscreen";
  const canSearch = page.connection.offers("search_tasks");
  usePageKeys();
  const hasBoard = canSearch && availableDisplayModes.includes("fullscreen");
  const show = (mode: "inline" | "fullscreen") =>
    host.show(mode).catch((error: Error) => page.notices.fail(error.message));
  const modeButton = hasBoard && (
    <Button
      icon={isFull ? "today" : "board"}
      class="mode-button"
      onClick={() => void show(isFull ? "inline" : "fullscreen")}
    >
      {isFull ? APP_WORDS.backToList : APP_WORDS.openBoard}
    </Button>
  );
  const openProject = ({ kind, name }: { readonly kind: string; readonly name: string }) => {
    page.address.show("board", { [kind]: name });
    void show("fullscreen");
  };
  return (
    <>
      {isFull && canSearch ? (
        <main class="hosted filling">
          {modeButton}
          <BoardView />
        </main>
      ) : (
        <main class="hosted">
          {given.kind === "waiting" && (
            <p class="loading" role="status">
              {WORDS.loading}
            </p>
          )}
          {given.kind === "cancelled" && <p class="empty">{APP_WORDS.cancelled}</p>}
          {given.kind === "failed" && (
            <p class="problem" role="alert">
              {given.text}
            </p>
          )}
          {given.kind === "answer" && (
            <GivenAnswer
              key={given.number}
              args={host.args.value}
              answer={given}
              onProject={hasBoard ? openProject : null}
            />
          )}
          {modeButton}
        </main>
      )}
      <Overlays />
      {openDialogs.value === 0 && <NoticeList />}
    </>
  );
}

/** Frames may not navigate; links that the host does not open are shown. */
function openOutside(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  const url = link?.getAttribute("href") ?? "";
  if (link === null || url.startsWith("#")) return;
  event.preventDefault();
  void host.openLink(url).then((isOpen) => isOpen || page.notices.tell(APP_WORDS.copyLink(url)));
}

async function begin(): Promise<void> {
  await host.connect();
  new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect();
    host.tellSize(Math.ceil(width), Math.ceil(height));
  }).observe(document.body);
  // A new result may name other available tools.
  host.given.subscribe(() => void page.begin());
}

ignoreStrayClicks();
addEventListener("click", openOutside);
render(
  <PageContext.Provider value={page}>
    <HostedPage />
  </PageContext.Provider>,
  document.body,
);
void begin();

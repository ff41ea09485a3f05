/** The page around its views: navigation, global actions, drawer and messages. */
import type { JSX, TargetedMouseEvent } from "preact";
import { useEffect } from "preact/hooks";
import { Button, TokenForm } from "../parts/controls.js";
import { Dialog, NoticeList, openDialogs } from "../parts/dialog.js";
import { Icon } from "../parts/icon.js";
import { lazyView } from "../parts/query-state.js";
import { routeText } from "../state/address.js";
import { clockText } from "../state/days.js";
import { type TasksPage, usePage } from "../state/page.js";
import { applyTheme, isStorageBlocked, theme } from "../state/stored.js";
import { hasKeys, usePageKeys } from "../state/shortcuts.js";
import { WORDS } from "../words.js";
import { PAGE_WORDS } from "../page-words.js";
import { Overlays } from "./overlays.js";
import { VIEWS } from "./views.js";

export function App(): JSX.Element {
  const page = usePage();
  const { View = UnknownView, name } = viewOf(page) ?? {};
  useEffect(() => {
    document.title = `${name === undefined ? PAGE_WORDS.unknownView : PAGE_WORDS.titles[name]} · ${PAGE_WORDS.title}`;
  }, [name]);
  useEffect(() => {
    if (isStorageBlocked.value) page.notices.fail(PAGE_WORDS.notStored);
  }, [page]);
  usePageKeys();
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {PAGE_WORDS.skip}
      </a>
      <TopBar />
      <OfflineNotice />
      <main id="main" tabIndex={-1}>
        <View />
        <Overlays views={VIEWS} keys={PAGE_WORDS.keyHelp}>
          <SessionPart />
        </Overlays>
        {page.overlay.value.kind === "session" && (
          <Dialog label={PAGE_WORDS.session} name="session-dialog" onClose={() => page.closeOverlay()}>
            <SessionPart />
          </Dialog>
        )}
      </main>
      {page.connection.needsLogin.value && <LoginDialog />}
      {openDialogs.value === 0 && <NoticeList />}
    </>
  );
}

/** Undefined for an unknown address. */
function viewOf({ address }: TasksPage): (typeof VIEWS)[number] | undefined {
  const { view } = address.route.value;
  const found = view === "" ? VIEWS[0] : VIEWS.find(({ name }) => name === view);
  const isNamed = Object.values(address.filters.value).some((value) => value !== "");
  return found?.within === undefined || isNamed ? found : VIEWS.find(({ name }) => name === found.within);
}

function UnknownView(): JSX.Element {
  return (
    <div class="views-view">
      <h1 class="view-heading">{PAGE_WORDS.unknownView}</h1>
      <nav class="names panel" aria-label={PAGE_WORDS.title}>
        <ViewLinks />
      </nav>
    </div>
  );
}

function ViewLinks({ current }: { readonly current?: string | undefined }): JSX.Element {
  const tools = usePage().connection.tools.value;
  const links = VIEWS.map(
    ({ name, title, icon, needs }) =>
      icon !== undefined &&
      (tools?.has(needs) ?? true) && (
        <a
          key={name}
          class="row"
          href={routeText({ view: name, params: {} })}
          aria-current={name === current ? "page" : undefined}
        >
          <Icon name={icon} />
          <span>{title}</span>
        </a>
      ),
  );
  return <>{links}</>;
}

/** Sets the focus itself: following the link would replace the view in the address. */
function skip(event: TargetedMouseEvent<HTMLElement>): void {
  event.preventDefault();
  const card = document.querySelector<HTMLElement>("main .card-title[tabindex='0']");
  (card ?? document.getElementById("main"))?.focus();
}

function TopBar(): JSX.Element {
  const page = usePage();
  const { connection, overlay } = page;
  const shown = viewOf(page);
  return (
    <header class="top row">
      <nav class="row" aria-label={PAGE_WORDS.navigation}>
        <ViewLinks current={shown?.within ?? shown?.name} />
      </nav>
      <div class="tools row">
        <Button icon="search" class="search-button" onClick={() => (overlay.value = { kind: "search" })}>
          <span>{WORDS.search}</span>
          <kbd aria-hidden="true">/</kbd>
        </Button>
        {connection.offers("add_tasks") && (
          <Button icon="add" class="primary add-button" onClick={() => (overlay.value = { kind: "add" })}>
            <span>{WORDS.add}</span>
          </Button>
        )}
        {(hasKeys || connection.session) && (
          <Button
            icon={hasKeys ? "keys" : "more"}
            class="quiet"
            aria-label={hasKeys ? WORDS.keys : PAGE_WORDS.session}
            title={hasKeys ? WORDS.keys : PAGE_WORDS.session}
            onClick={() => (overlay.value = { kind: hasKeys ? "keys" : "session" })}
          />
        )}
        <ThemeButton />
      </div>
    </header>
  );
}

function OfflineNotice(): JSX.Element {
  const { isOnline, readAt } = usePage().connection;
  const words =
    readAt.value === undefined ? PAGE_WORDS.offlineUnread : PAGE_WORDS.offlineNotice(clockText(readAt.value));
  return (
    <div class="offline" role="status">
      {!isOnline.value && (
        <p class="row">
          <Icon name="offline" /> {words}
        </p>
      )}
    </div>
  );
}

const NEXT = { auto: "light", light: "dark", dark: "auto" } as const;

function ThemeButton(): JSX.Element {
  return (
    <Button
      icon={theme.value}
      class="quiet"
      aria-label={PAGE_WORDS.theme[theme.value]}
      title={PAGE_WORDS.theme[theme.value]}
      onClick={() => {
        theme.value = NEXT[theme.value];
        applyTheme();
      }}
    />
  );
}

const SessionSettings = lazyView(() => import("./connections.js"));

function SessionPart(): JSX.Element | null {
  return usePage().connection.session === undefined ? null : <SessionSettings />;
}

function LoginDialog(): JSX.Element {
  const page = usePage();
  const logIn = async (token: string) => {
    await page.connection.logIn(token);
    await Promise.all([page.begin(), page.reread()]);
  };
  return (
    <Dialog label={PAGE_WORDS.login} name="login">
      <p>{PAGE_WORDS.loginHelp}</p>
      <TokenForm label={PAGE_WORDS.token} action={PAGE_WORDS.login} logIn={logIn} />
    </Dialog>
  );
}

/** What a view shows while loading and after a failed call. */
import { signal } from "@preact/signals";
import type { FunctionComponent, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "./controls.js";
import { isCallFailure } from "../transport/transport.js";
import type { LiveQuery } from "../state/queries.js";
import { usePage } from "../state/page.js";
import { PAGE_WORDS } from "../page-words.js";
import { WORDS } from "../words.js";

interface RefusedQueryProps {
  readonly query: LiveQuery<unknown>;
  /** The query's name, where nothing else shows it. */
  readonly name?: string;
}

/** No connection or login. */
const isAway = (failure: Error): boolean => isCallFailure(failure, "unreachable") || isCallFailure(failure, "login");

/** Why a query was refused. The page itself reports a missing connection or login. */
export function RefusedQuery({ query, name }: RefusedQueryProps): JSX.Element | null {
  const page = usePage();
  const failure = query.failure.value;
  if (failure === undefined || isAway(failure)) return null;
  return (
    <div class="problem" role="alert">
      <p>{name === undefined ? failure.message : WORDS.readAs(name, failure.message)}</p>
      <Button onClick={() => void page.reread()}>{WORDS.retry}</Button>
    </div>
  );
}

/** @param saysWhy false where a refusal is shown elsewhere */
export function QueryState({ query, saysWhy = true }: RefusedQueryProps & { readonly saysWhy?: boolean }) {
  const { progress } = usePage().connection;
  const failure = query.failure.value;
  if (failure !== undefined && !isAway(failure)) return saysWhy ? <RefusedQuery query={query} /> : null;
  if (query.data.value !== undefined) return null;
  if (failure !== undefined) return <p class="empty">{WORDS.notReadYet}</p>;
  const { done, total } = progress.value ?? {};
  return (
    <div class="loading">
      {done === undefined ? (
        <Skeleton />
      ) : (
        <label class="stack">
          {WORDS.reading(done, total)}
          <progress value={done} max={total} />
        </label>
      )}
    </div>
  );
}

/** With words for screen readers. */
function Skeleton(): JSX.Element {
  return (
    <div class="skeleton stack" role="status">
      <span class="unseen">{WORDS.loading}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** Loads the view at its first use. */
export function lazyView(fetchView: () => Promise<{ readonly default: FunctionComponent }>): FunctionComponent {
  const fetched = signal<{ readonly default: FunctionComponent } | undefined>(undefined);
  const hasFailed = signal(false);
  return function LazyView(): JSX.Element {
    const { connection } = usePage();
    useEffect(() => {
      if (fetched.value !== undefined) return;
      fetchView().then(
        (view) => (fetched.value = view),
        () => (hasFailed.value = true),
      );
    }, []);
    const { default: View } = fetched.value ?? {};
    if (View) return <View />;
    if (!hasFailed.value)
      return (
        <div class="view-loading">
          <Skeleton />
        </div>
      );
    return (
      <div class="problem view-loading" role="alert">
        <p>{PAGE_WORDS.viewNotFetched}</p>
        {/* Browsers do not repeat a failed import, and an updated server renames the file. */}
        <Button disabled={!connection.isOnline.value} onClick={() => location.reload()}>
          {PAGE_WORDS.loadAgain}
        </Button>
      </div>
    );
  };
}

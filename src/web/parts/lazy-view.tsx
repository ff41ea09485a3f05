/** A view that is loaded when first shown. */
import { signal } from "@preact/signals";
import type { FunctionComponent, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "./controls.js";
import { usePage } from "../state/page.js";
import { PAGE_WORDS } from "../page-words.js";
import { Skeleton } from "./query-state.js";

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

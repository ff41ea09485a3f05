/** Copies text; without a clipboard shows it for copying by hand. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "./controls.js";
import { usePage } from "../state/page.js";
import { WORDS } from "../words.js";
import { Dialog } from "./dialog.js";

interface CopyButtonProps {
  readonly label: string;
  readonly textOf: () => string;
  /** Message after copying. */
  readonly copied: string;
}

export function CopyButton({ label, textOf, copied }: CopyButtonProps): JSX.Element {
  const { notices } = usePage();
  const byHand = useSignal<string | undefined>(undefined);
  const copy = async () => {
    const text = textOf();
    try {
      await navigator.clipboard.writeText(text);
      notices.tell(copied);
    } catch {
      // No https, or no permission.
      byHand.value = text;
    }
  };
  return (
    <>
      <Button icon="copy" class="copy-button" onClick={() => void copy()}>
        {label}
      </Button>
      {byHand.value !== undefined && (
        <Dialog label={label} name="copy-dialog" onClose={() => (byHand.value = undefined)}>
          <label class="stack">
            {WORDS.copyByHand}
            <textarea
              data-first-focus
              readOnly
              rows={12}
              value={byHand.value}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
          </label>
        </Dialog>
      )}
    </>
  );
}

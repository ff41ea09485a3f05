/** Buttons, selects, and the token form. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../transport/transport.js";
import { WORDS } from "../words.js";
import { Icon, type IconName } from "./icon.js";

type ButtonProps = JSX.IntrinsicElements["button"] & { readonly icon?: IconName };

/** Submits no form. An icon alone needs an `aria-label`. */
export function Button({ icon, children, ...rest }: ButtonProps): JSX.Element {
  return (
    <button type="button" {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Ignores a double click's second click if the first put something else under the pointer. */
export function ignoreStrayClicks(): void {
  let clicked: Element | null = null;
  const check = (event: MouseEvent) => {
    const hit = event.target instanceof Element ? event.target.closest("button, a") : null;
    if (event.detail > 1 && hit !== clicked) {
      event.preventDefault();
      event.stopPropagation();
    } else clicked = hit;
  };
  addEventListener("click", check, true);
}

export type Options = readonly (readonly [value: string, text: string])[];

type SelectAttribute = "aria-label" | "class" | "disabled" | "id" | "name" | "value";
interface SelectProps extends Pick<JSX.IntrinsicElements["select"], SelectAttribute> {
  readonly options: Options;
  readonly onChoose?: (value: string, select: HTMLSelectElement) => void;
}

export function Select({ options, onChoose, ...rest }: SelectProps): JSX.Element {
  return (
    <select {...rest} onChange={({ currentTarget }) => onChoose?.(currentTarget.value, currentTarget)}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** Nothing at the end of a list. @param rest how many are not shown */
export function ShowMore({ rest, onMore }: { readonly rest: number; readonly onMore: () => unknown }) {
  return rest > 0 ? (
    <Button class="quiet show-more" onClick={() => void onMore()}>
      {WORDS.showMoreOf(rest)}
    </Button>
  ) : null;
}

/** Nothing if the note's Obsidian address is unknown. */
export function ObsidianLink({ link }: { readonly link: string | undefined }): JSX.Element | null {
  return link === undefined ? null : (
    <a class="button" href={link}>
      <Icon name="obsidian" /> <span>{WORDS.openInObsidian}</span>
    </a>
  );
}

interface TokenFormProps {
  readonly label: string;
  readonly action: string;
  /** The form shows its failure. */
  readonly logIn: (token: string) => Promise<unknown>;
}

export function TokenForm({ label, action, logIn }: TokenFormProps): JSX.Element {
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const send = async (token: string) => {
    setBusy(true);
    const problem = await logIn(token.trim()).then(() => "", messageOf);
    // Together: while the button is disabled, Enter does nothing.
    setFailure(problem);
    setBusy(false);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget.querySelector("input")?.value ?? "");
      }}
    >
      <label class="stack">
        {label}
        <input
          data-first-focus
          type="password"
          autocomplete="current-password"
          required
          aria-describedby="token-problem"
        />
      </label>
      <p class="problem" id="token-problem" role="alert">
        {failure}
      </p>
      <button type="submit" class="primary" disabled={isBusy}>
        {action}
      </button>
    </form>
  );
}

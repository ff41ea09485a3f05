/** Buttons, lists to choose from, and switches. */
import type { JSX } from "preact";
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

/** Ignores the second click of a double click where the first one put something else under the pointer. */
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

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  /** The id of its explanation. */
  readonly describedBy?: string;
}

export function Switch({ label, isOn, onSwitch, describedBy }: SwitchProps): JSX.Element {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isOn}
        aria-describedby={describedBy}
        onChange={(event) => onSwitch(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** Asks the person whether a program may connect, and with which limits (docs: sign-in). */
import { render, type JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keyHeaders, openSession, takeLoginCode } from "../transport/session-key.js";
import { Select, TokenForm } from "../parts/controls.js";
import { applyTheme } from "../state/stored.js";

interface Shown {
  readonly host: string;
  readonly isOnDevice: boolean;
  readonly name: string;
  readonly person: string;
  readonly choices: readonly string[];
  /** Of the root; the empty name means files outside folders. */
  readonly folders: readonly string[];
  readonly maxDays: number;
  readonly digest: string;
}

type State =
  | { readonly is: "loading" | "login" | "done" }
  | { readonly is: "fetch"; readonly from: string }
  | { readonly is: "failed"; readonly why: string }
  | { readonly is: "shown"; readonly shown: Shown };

const WORDS = {
  title: "Connect a program",
  loading: "Loading …",
  done: "Done. You can close this page.",
  who: "Who are you?",
  token: "Your secret (the token of this server)",
  login: "Continue",
  fetch: (host: string) => `The program describes itself at ${host}. To go on, the server fetches that description.`,
  goOn: "Fetch it",
  receives: "This receives access:",
  calls: (name: string) =>
    `It calls itself “${name}”. Anybody can choose any name: trust the address above, not the name.`,
  device: "It is a program on this device. Allow only if you have just started to connect it yourself.",
  rights: "What may it do?",
  what: "With what?",
  sets: { tasks: "Tasks", notes: "Notes", files: "Files" } as Readonly<Record<string, string>>,
  where: "In which folders?",
  places: { everywhere: "In all that I may see", chosen: "Only in these:" } as Readonly<Record<string, string>>,
  rootFiles: "Files outside of folders",
  may: { "": "Hidden", read: "Read", write: "Read and change" } as Readonly<Record<string, string>>,
  tags: "Hide notes with these tags",
  tagsHelp: "Separated by spaces, such as: private health",
  duration: "For how long?",
  days: (days: number) => (days === 365 ? "1 year" : `${days} days`),
  as: (person: string) => `You are signed in as ${person}.`,
  deny: "Refuse",
  allow: "Allow",
};

const DURATIONS = [1, 30, 90, 365];
/** Time in view before the button works, against clicks meant for another page. */
const ALLOW_DELAY_MS = 1000;

async function ask(body: object): Promise<State> {
  const response = await fetch("/web/authorizations", {
    method: "POST",
    headers: { "content-type": "application/json", ...keyHeaders() },
    body: JSON.stringify({ query: location.search.slice(1), ...body }),
  });
  if (response.status === 401) return { is: "login" };
  const answer = (await response.json()) as Partial<Shown> & {
    readonly fetchFrom?: string;
    readonly redirect?: string;
    readonly message?: string;
    readonly error_description?: string;
  };
  if (!response.ok) return { is: "failed", why: answer.error_description ?? answer.message ?? "" };
  if (answer.fetchFrom !== undefined) return { is: "fetch", from: answer.fetchFrom };
  if (answer.redirect === undefined) return { is: "shown", shown: answer as Shown };
  location.assign(answer.redirect);
  return { is: "done" };
}

function Consent(): JSX.Element {
  const [state, setState] = useState<State>({ is: "loading" });
  const [isFetching, setFetching] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const send = (body: object) =>
    void ask({ fetch: isFetching, ...body }).then(setState, () => setState({ is: "failed", why: "" }));
  useEffect(() => {
    const code = takeLoginCode();
    const opened = code === undefined ? Promise.resolve() : openSession({ code }).catch(() => {});
    void opened.then(() => send({}));
  }, []);
  useLayoutEffect(() => heading.current?.focus(), [state.is]);
  return (
    <main class="stack">
      <h1 ref={heading} tabIndex={-1}>
        {WORDS.title}
      </h1>
      {state.is === "loading" && <p role="status">{WORDS.loading}</p>}
      {state.is === "done" && <p role="status">{WORDS.done}</p>}
      {state.is === "failed" && <p role="alert">{state.why}</p>}
      {state.is === "login" && (
        <>
          <h2>{WORDS.who}</h2>
          <TokenForm
            label={WORDS.token}
            action={WORDS.login}
            logIn={(token) => openSession({ token }).then(() => send({}))}
          />
        </>
      )}
      {state.is === "fetch" && (
        <>
          <p>{WORDS.fetch(state.from)}</p>
          <div class="buttons">
            <button
              type="button"
              onClick={() => {
                setFetching(true);
                send({ fetch: true });
              }}
            >
              {WORDS.goOn}
            </button>
          </div>
        </>
      )}
      {state.is === "shown" && <Choice shown={state.shown} decide={send} />}
    </main>
  );
}

interface ChoiceProps {
  readonly shown: Shown;
  readonly decide: (decision: object) => void;
}

function Choice({ shown, decide }: ChoiceProps): JSX.Element {
  const { host, name, isOnDevice, choices, digest, folders, maxDays, person } = shown;
  const form = useRef<HTMLFormElement>(null);
  const [days, setDays] = useState("90");
  /** As JSON, so that an equal one is drawn once. */
  const [given, setGiven] = useState(JSON.stringify(decisionIn(null)));
  const [button, isReady] = useSeenFor(ALLOW_DELAY_MS);
  const read = () => setGiven(JSON.stringify(decisionIn(form.current)));
  // After each drawing, which may have removed a choice.
  useLayoutEffect(read);
  const { level, sets, limits } = JSON.parse(given) as Decision;
  const levels = choices.includes("write") ? ["read", "write"] : ["read"];
  const places = folders.length > 0 ? ["everywhere", "chosen"] : ["everywhere"];
  const rights = Object.entries(WORDS.may).filter(([right]) => right !== "write" || level === "write");
  return (
    <form class="choice" ref={form} onInput={read} onSubmit={(event) => event.preventDefault()}>
      <p>{WORDS.receives}</p>
      <p class="host">{host}</p>
      <p>{WORDS.calls(name)}</p>
      {isOnDevice && <p role="note">{WORDS.device}</p>}
      <fieldset class="stack">
        <legend>{WORDS.rights}</legend>
        {levels.map((one) => (
          <Tick key={one} name="level" value={one} text={WORDS.may[one]} isOn={one === levels.at(-1)} />
        ))}
      </fieldset>
      <fieldset class="stack">
        <legend>{WORDS.what}</legend>
        {choices.map(
          (set) =>
            set in WORDS.sets && <Tick key={set} type="checkbox" name="sets" value={set} text={WORDS.sets[set]} isOn />,
        )}
      </fieldset>
      <fieldset class="stack">
        <legend>{WORDS.where}</legend>
        {places.map((one) => (
          <Tick key={one} name="place" value={one} text={WORDS.places[one]} isOn={one === "everywhere"} />
        ))}
        {limits?.folders &&
          folders.map((folder) => (
            <label key={folder} class="row folder">
              <span>{folder || WORDS.rootFiles}</span>
              <Select name={FOLDER + folder} options={rights} />
            </label>
          ))}
        <label class="row" for="tags">
          {WORDS.tags}
        </label>
        <input id="tags" name="tags" type="text" autocomplete="off" autocapitalize="off" aria-describedby="tags-help" />
        <p id="tags-help" class="hint">
          {WORDS.tagsHelp}
        </p>
      </fieldset>
      <label for="days">{WORDS.duration}</label>
      <Select
        id="days"
        value={days}
        options={DURATIONS.filter((one) => one <= maxDays).map((one) => [String(one), WORDS.days(one)])}
        onChoose={setDays}
      />
      <p>{WORDS.as(person)}</p>
      <div class="buttons">
        <button type="button" onClick={() => decide({ digest, allow: false })}>
          {WORDS.deny}
        </button>
        <button
          ref={button}
          type="button"
          class="primary"
          disabled={!isReady || sets.length === 0 || (limits?.folders && Object.keys(limits.folders).length === 0)}
          onClick={() => {
            const scopes = [...levels.slice(0, 1 + levels.indexOf(level)), ...sets];
            decide({ digest, allow: true, scopes, limits, days: Number(days) });
          }}
        >
          {WORDS.allow}
        </button>
      </div>
    </form>
  );
}

interface TickProps {
  readonly type?: "radio" | "checkbox";
  readonly name: string;
  readonly value: string;
  readonly text: string | undefined;
  readonly isOn: boolean;
}

function Tick({ type = "radio", name, value, text, isOn }: TickProps): JSX.Element {
  return (
    <label class="row">
      <input type={type} name={name} value={value} defaultChecked={isOn} />
      {text}
    </label>
  );
}

/** Prefix of a folder's field name. */
const FOLDER = "folder/";

type Decision = ReturnType<typeof decisionIn>;

function decisionIn(form: HTMLFormElement | null) {
  const fields = [...(new FormData(form ?? undefined) as Iterable<readonly [name: string, value: string]>)];
  const valuesOf = (name: string) => fields.flatMap((field) => (field[0] === name ? [field[1]] : []));
  const denyTags = valuesOf("tags").flatMap((text) => text.split(/[\s,]+/).filter((tag) => tag !== ""));
  const rights = fields.filter(([name, right]) => name.startsWith(FOLDER) && right !== "");
  const isChosen = valuesOf("place").includes("chosen");
  const limits = {
    ...(isChosen && { folders: Object.fromEntries(rights.map(([name, right]) => [name.slice(FOLDER.length), right])) }),
    ...(denyTags.length > 0 && { denyTags }),
  };
  // Without limits, all that the person may.
  const isLimited = isChosen || denyTags.length > 0;
  return { level: valuesOf("level")[0] ?? "", sets: valuesOf("sets"), limits: isLimited ? limits : undefined };
}

function useSeenFor(ms: number) {
  const element = useRef<HTMLButtonElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(([entry]) => {
      clearTimeout(timer);
      if (entry?.isIntersecting === true) timer = setTimeout(setSeen, ms, true);
    });
    if (element.current) observer.observe(element.current);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, []);
  return [element, isSeen] as const;
}

applyTheme();
render(<Consent />, document.body);

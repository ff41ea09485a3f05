/** Asks the person whether a program may connect, and with which limits (docs: sign-in, "The authorization server"). */
import { render, type JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keyHeaders, openSession, takeLoginCode } from "../carrier/session-key.js";
import { applyTheme } from "../parts/theme-button.js";

interface Shown {
  readonly host: string;
  readonly isOnDevice: boolean;
  readonly name: string;
  readonly person: string;
  readonly choices: readonly string[];
  /** Of the root; the empty name means files outside of folders. */
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
  read: "Read",
  write: "Read and change",
  what: "With what?",
  sets: { tasks: "Tasks", notes: "Notes", files: "Files" } as Readonly<Record<string, string>>,
  where: "In which folders?",
  everywhere: "In all that I may see",
  chosen: "Only in these:",
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
      {state.is === "login" && <Login done={() => send({})} />}
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

function Login({ done }: { readonly done: () => void }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const logIn = async (token: string) => {
    try {
      await openSession({ token });
      done();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "");
    }
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const token = field.current?.value.trim() ?? "";
        void logIn(token);
      }}
    >
      <h2>{WORDS.who}</h2>
      <label for="token">{WORDS.token}</label>
      <input
        ref={field}
        id="token"
        type="password"
        autocomplete="current-password"
        required
        aria-describedby="problem"
      />
      <p id="problem" class="problem" role="alert">
        {problem}
      </p>
      <div class="buttons">
        <button type="submit" class="primary">
          {WORDS.login}
        </button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly shown: Shown;
  readonly decide: (decision: object) => void;
}

function Choice({ shown, decide }: ChoiceProps): JSX.Element {
  const { host, name, isOnDevice, choices, digest, maxDays, person } = shown;
  const sets = choices.filter((choice) => choice in WORDS.sets);
  const [mayWrite, setMayWrite] = useState(choices.includes("write"));
  const [chosen, setChosen] = useState<readonly string[]>(sets);
  const [days, setDays] = useState(90);
  const [folders, setFolders] = useState<Folders>();
  const [tags, setTags] = useState("");
  const [button, isReady] = useSeenFor(ALLOW_DELAY_MS);
  const level = mayWrite ? ["read", "write"] : ["read"];
  return (
    <>
      <p>{WORDS.receives}</p>
      <p class="host">{host}</p>
      <p>{WORDS.calls(name)}</p>
      {isOnDevice && <p role="note">{WORDS.device}</p>}
      <fieldset class="stack">
        <legend>{WORDS.rights}</legend>
        {(choices.includes("write") ? [false, true] : [false]).map((writes) => (
          <label class="row" key={String(writes)}>
            <input type="radio" name="rights" checked={mayWrite === writes} onChange={() => setMayWrite(writes)} />
            {writes ? WORDS.write : WORDS.read}
          </label>
        ))}
      </fieldset>
      <fieldset class="stack">
        <legend>{WORDS.what}</legend>
        {sets.map((set) => (
          <label class="row" key={set}>
            <input
              type="checkbox"
              checked={chosen.includes(set)}
              onChange={({ currentTarget: { checked } }) =>
                setChosen(checked ? [...chosen, set] : chosen.filter((one) => one !== set))
              }
            />
            {WORDS.sets[set]}
          </label>
        ))}
      </fieldset>
      <fieldset class="stack">
        <legend>{WORDS.where}</legend>
        {[false, true].slice(0, shown.folders.length > 0 ? 2 : 1).map((isChosen) => (
          <label class="row" key={String(isChosen)}>
            <input
              type="radio"
              name="where"
              checked={(folders !== undefined) === isChosen}
              onChange={() => setFolders(isChosen ? {} : undefined)}
            />
            {isChosen ? WORDS.chosen : WORDS.everywhere}
          </label>
        ))}
        {folders && <FolderChoice names={shown.folders} mayWrite={mayWrite} chosen={folders} choose={setFolders} />}
        <label class="row" for="tags">
          {WORDS.tags}
        </label>
        <input
          id="tags"
          type="text"
          autocomplete="off"
          autocapitalize="off"
          aria-describedby="tags-help"
          value={tags}
          onInput={({ currentTarget: { value } }) => setTags(value)}
        />
        <p id="tags-help" class="hint">
          {WORDS.tagsHelp}
        </p>
      </fieldset>
      <label for="days">{WORDS.duration}</label>
      <select id="days" value={days} onChange={({ currentTarget: { value } }) => setDays(Number(value))}>
        {DURATIONS.filter((one) => one <= maxDays).map((one) => (
          <option key={one} value={one}>
            {WORDS.days(one)}
          </option>
        ))}
      </select>
      <p>{WORDS.as(person)}</p>
      <div class="buttons">
        <button type="button" onClick={() => decide({ digest, allow: false })}>
          {WORDS.deny}
        </button>
        <button
          ref={button}
          type="button"
          class="primary"
          disabled={!isReady || chosen.length === 0 || (folders && Object.keys(folders).length === 0)}
          onClick={() =>
            decide({ digest, allow: true, scopes: [...level, ...chosen], limits: limitsOf(folders, tags), days })
          }
        >
          {WORDS.allow}
        </button>
      </div>
    </>
  );
}

/** The right in each chosen folder. */
type Folders = Readonly<Record<string, string>>;

interface FolderChoiceProps {
  readonly names: readonly string[];
  readonly mayWrite: boolean;
  readonly chosen: Folders;
  readonly choose: (chosen: Folders) => void;
}

function FolderChoice({ names, mayWrite, chosen, choose }: FolderChoiceProps): JSX.Element {
  const { [""]: hidden, read, write } = WORDS.may;
  const rights = Object.entries({ "": hidden, read, ...(mayWrite ? { write } : {}) });
  const change = (name: string, may: string) => {
    const { [name]: _, ...others } = chosen;
    choose(may === "" ? others : { ...others, [name]: may });
  };
  return (
    <>
      {names.map((name) => (
        <label key={name} class="row folder">
          <span>{name || WORDS.rootFiles}</span>
          <select value={chosen[name] ?? ""} onChange={({ currentTarget: { value } }) => change(name, value)}>
            {rights.map(([may, words]) => (
              <option key={may} value={may}>
                {words}
              </option>
            ))}
          </select>
        </label>
      ))}
    </>
  );
}

/** The limits to store; undefined allows all that the person may. */
function limitsOf(folders: Folders | undefined, tags: string): object | undefined {
  const denyTags = tags.split(/[\s,]+/).filter((tag) => tag !== "");
  if (folders === undefined && denyTags.length === 0) return undefined;
  return { folders, ...(denyTags.length > 0 ? { denyTags } : {}) };
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

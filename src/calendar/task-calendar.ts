/** A vault's tasks as calendars, cached until the tasks or the day change (docs: calendar, "The feed"). */
import type { RefreshOptions } from "../index/refresh.js";
import type { AllTasks } from "../tasks/api.js";
import type { Tasks } from "../tasks/service.js";
import type { Task } from "../tasks/task.js";
import { sha256 } from "../text/hash.js";
import { calendarEntries } from "./entries.js";
import type { CalendarFilters } from "./filters.js";
import { writeCalendar } from "./writer.js";

export interface CalendarText {
  /** UTF-8. */
  readonly bytes: Buffer;
  readonly hash: string;
  readonly entries: number;
}

export interface TaskCalendarOptions {
  readonly tasks: Pick<Tasks, "all">;
  readonly vaultId: string;
  readonly linkTo: (task: Task) => string | undefined;
}

const MAX_CACHED = 16;

export class TaskCalendar {
  readonly #options: TaskCalendarOptions;
  #made = new Map<string, Promise<CalendarText>>();
  #of: AllTasks | undefined;

  constructor(options: TaskCalendarOptions) {
    this.#options = options;
  }

  async read(name: string, filters: CalendarFilters, options: RefreshOptions = {}): Promise<CalendarText> {
    const now = await this.#options.tasks.all(options);
    if (this.#of?.tasks !== now.tasks || this.#of.today !== now.today) {
      this.#of = now;
      this.#made = new Map();
    }
    const key = JSON.stringify([name, filters]);
    const known = this.#made.get(key);
    if (known) return known;
    const made = this.#make(name, filters, now);
    const all = this.#made;
    all.set(key, made);
    made.catch(() => all.delete(key));
    const [oldest] = all.keys();
    if (all.size > MAX_CACHED && oldest !== undefined) all.delete(oldest);
    return made;
  }

  async #make(name: string, filters: CalendarFilters, now: AllTasks): Promise<CalendarText> {
    const { vaultId, linkTo } = this.#options;
    const entries = await calendarEntries(now, filters, vaultId);
    const text = await writeCalendar(entries, { name, filters, linkTo });
    const bytes = Buffer.from(text);
    return { bytes, hash: sha256(bytes), entries: entries.length };
  }
}

/** The page's views in the order of the navigation. */
import type { FunctionComponent } from "preact";
import type { ToolName } from "../transport/transport.js";
import type { IconName } from "../parts/icon.js";
import { lazyView } from "../parts/query-state.js";
import { PAGE_WORDS } from "../page-words.js";
import { TodayView } from "./today-view.js";

export interface ViewRow {
  /** In the address: `#/board`. */
  readonly name: keyof typeof PAGE_WORDS.titles;
  readonly title: string;
  /** Without one, only other views lead here. */
  readonly icon?: IconName;
  /** The navigation marks this view, which also replaces one without an item in the address. */
  readonly within?: string;
  readonly needs: ToolName;
  readonly View: FunctionComponent;
}

const row = (name: ViewRow["name"], rest: Omit<ViewRow, "name" | "title">): ViewRow => ({
  name,
  title: PAGE_WORDS.titles[name],
  ...rest,
});

export const VIEWS: readonly [ViewRow, ...ViewRow[]] = [
  row("today", { icon: "today", needs: "get_agenda", View: TodayView }),
  row("week", { icon: "week", needs: "get_agenda", View: lazyView(() => import("./week-view.js")) }),
  row("board", { icon: "board", needs: "search_tasks", View: lazyView(() => import("./board-view.js")) }),
  row("projects", { icon: "projects", needs: "get_agenda", View: lazyView(() => import("./projects-view.js")) }),
  row("views", { icon: "views", needs: "run_view", View: lazyView(() => import("./saved-views.js")) }),
  row("review", { icon: "review", needs: "get_agenda", View: lazyView(() => import("./review-view.js")) }),
  row("history", { icon: "history", needs: "get_history", View: lazyView(() => import("./history-view.js")) }),
  row("project", { within: "projects", needs: "get_agenda", View: lazyView(() => import("./project-view.js")) }),
  row("kanban", { within: "board", needs: "read_note", View: lazyView(() => import("./kanban-view.js")) }),
];

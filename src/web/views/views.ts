/** The page's views in the order of the navigation. */
import type { FunctionComponent } from "preact";
import type { ToolName } from "../carrier/carrier.js";
import type { IconName } from "../parts/icon.js";
import { lazyView } from "../parts/lazy-view.js";
import { BoardView } from "./board-view.js";
import { TodayView } from "./today-view.js";

export interface ViewRow {
  /** In the address: `#/board`. Its title is the word of this name. */
  readonly name: "today" | "week" | "board" | "projects" | "views" | "review" | "history" | "project" | "kanban";
  /** Without one, only other views lead here. */
  readonly icon?: IconName;
  /** Its view in the navigation. */
  readonly within?: string;
  readonly needs: ToolName;
  readonly View: FunctionComponent;
}

export const VIEWS: readonly [ViewRow, ...ViewRow[]] = [
  { name: "today", icon: "today", needs: "get_agenda", View: TodayView },
  { name: "week", icon: "week", needs: "get_agenda", View: lazyView(() => import("./week-view.js")) },
  { name: "board", icon: "board", needs: "search_tasks", View: BoardView },
  { name: "projects", icon: "projects", needs: "get_agenda", View: lazyView(() => import("./projects-view.js")) },
  { name: "views", icon: "views", needs: "run_view", View: lazyView(() => import("./saved-views.js")) },
  { name: "review", icon: "review", needs: "get_agenda", View: lazyView(() => import("./review-view.js")) },
  { name: "history", icon: "history", needs: "get_history", View: lazyView(() => import("./history-view.js")) },
  { name: "project", within: "projects", needs: "get_agenda", View: lazyView(() => import("./project-view.js")) },
  { name: "kanban", within: "board", needs: "read_note", View: lazyView(() => import("./kanban-view.js")) },
];

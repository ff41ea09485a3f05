/** The page's views in the order of the navigation. */
import type { FunctionComponent } from "preact";
import type { ToolName } from "../carrier/carrier.js";
import type { IconName } from "../parts/icon.js";
import { lazyView } from "../parts/lazy-view.js";
import { WORDS } from "../words.js";
import { BoardView } from "./board-view.js";
import { TodayView } from "./today-view.js";

export interface ViewRow {
  /** In the address: `#/board`. */
  readonly name: string;
  readonly title: string;
  /** Without one, only other views lead here. */
  readonly icon?: IconName;
  /** Its view in the navigation. */
  readonly within?: string;
  readonly needs: ToolName;
  readonly View: FunctionComponent;
}

type Named = "today" | "week" | "board" | "projects" | "review" | "history";

/** A view in the navigation, where its name is its icon's too. */
function listed(name: Named, needs: ToolName, View: FunctionComponent): ViewRow {
  return { name, title: WORDS[name], icon: name, needs, View };
}

export const VIEWS: readonly [ViewRow, ...ViewRow[]] = [
  listed("today", "get_agenda", TodayView),
  listed(
    "week",
    "get_agenda",
    lazyView(async () => (await import("./week-view.js")).WeekView),
  ),
  listed("board", "search_tasks", BoardView),
  listed(
    "projects",
    "get_agenda",
    lazyView(async () => (await import("./projects-view.js")).ProjectsView),
  ),
  listed(
    "review",
    "get_agenda",
    lazyView(async () => (await import("./review-view.js")).ReviewView),
  ),
  listed(
    "history",
    "get_history",
    lazyView(async () => (await import("./history-view.js")).HistoryView),
  ),
  {
    name: "project",
    title: WORDS.project,
    within: "projects",
    needs: "get_agenda",
    View: lazyView(async () => (await import("./project-view.js")).ProjectView),
  },
  {
    name: "kanban",
    title: WORDS.kanban,
    within: "board",
    needs: "read_note",
    View: lazyView(async () => (await import("./kanban-view.js")).KanbanView),
  },
];

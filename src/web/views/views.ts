/** The page's views in the order of the navigation. */
import type { FunctionComponent } from "preact";
import type { ToolName } from "../carrier/carrier.js";
import type { IconName } from "../parts/icon.js";
import { lazyView } from "../parts/lazy-view.js";
import { WORDS } from "../words.js";
import { BoardView } from "./board-view.js";
import { TodayView } from "./today-view.js";

interface ViewRow {
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

export const VIEWS: readonly [ViewRow, ...ViewRow[]] = [
  { name: "today", title: WORDS.today, icon: "today", needs: "get_agenda", View: TodayView },
  {
    name: "week",
    title: WORDS.week,
    icon: "week",
    needs: "get_agenda",
    View: lazyView(async () => (await import("./week-view.js")).WeekView),
  },
  { name: "board", title: WORDS.board, icon: "board", needs: "search_tasks", View: BoardView },
  {
    name: "projects",
    title: WORDS.projects,
    icon: "projects",
    needs: "get_agenda",
    View: lazyView(async () => (await import("./projects-view.js")).ProjectsView),
  },
  {
    name: "review",
    title: WORDS.review,
    icon: "review",
    needs: "get_agenda",
    View: lazyView(async () => (await import("./review-view.js")).ReviewView),
  },
  {
    name: "history",
    title: WORDS.history,
    icon: "history",
    needs: "get_history",
    View: lazyView(async () => (await import("./history-view.js")).HistoryView),
  },
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

/** The Kanban plugin's own words on boards, in the languages it has them in. */

/** The word above the cards of a complete lane, with the heading of the archive in the same language. */
const ARCHIVES: Readonly<Record<string, string>> = {
  Complete: "Archive",
  Fertiggestellt: "Archiv",
  Completato: "Archivio",
  完了: "アーカイブ",
  완료됨: "보관됨",
  Concluído: "Arquivado",
  Выполнено: "Архивировать",
  完成: "归档",
};

export const COMPLETE_WORDS: readonly string[] = Object.keys(ARCHIVES);
export const ARCHIVE_WORDS: readonly string[] = Object.values(ARCHIVES);

/** The heading of a new archive. */
export const archiveWord = (completeWord = "Complete"): string => ARCHIVES[completeWord] ?? "Archive";

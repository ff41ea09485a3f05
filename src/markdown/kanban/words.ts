/** The Kanban plugin's own words on boards, in its languages. */

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

export const archiveWord = (completeWord = "Complete"): string => ARCHIVES[completeWord] ?? "Archive";

/** Titles that YAML takes for something else when they stand there unquoted. */
export const YAML_TITLES: readonly string[] = [
  "@x",
  "*x",
  "&x",
  "!x",
  "%x",
  "`x`",
  '"',
  "'",
  "#x",
  "- x",
  "null",
  "true",
  "123",
  "2025-01-01",
  "~",
  "yes",
];

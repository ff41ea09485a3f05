/** Makes file names that Obsidian, every system and links accept. */
export const MAX_NAME_BYTES = 255;

const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])[ .]*(?:\..*)?$/i;

/** Bytes for `.md` and the number of a duplicate. */
const ROOM = ".md".length + " 999".length;

/** Replaces the joiner inside an emoji. */
const JOINER_MARK = "\uf8f0";

const PLAIN_WORDS = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;

/** Without extension (docs: obsidian, "Links"); may be empty. */
export function safeFileName(title: string): string {
  if (PLAIN_WORDS.test(title) && title.length <= MAX_NAME_BYTES - ROOM) return withoutDevice(title);
  const visible = /^[\x20-\x7e]*$/.test(title) ? title : withoutInvisible(title);
  const mapped = visible
    .replace(/^[\s\\/|:]+|[\s\\/|:]+$/gu, "")
    .replace(/:\s+/gu, " - ")
    .replace(/[\\/|:]+/gu, "-")
    .replace(/[*?"<>#^[\]]|%%/gu, " ");
  const name = trimEdges(shorten(trimEdges(mapped.replace(/\s+/gu, " ")), MAX_NAME_BYTES - ROOM));
  return /^[-_. ]*$/.test(name) ? "" : withoutDevice(name);
}

function withoutInvisible(title: string): string {
  const joinedEmoji = /(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/gu;
  const invisible = /[\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0\ufffe\uffff]|\u034f|\u17b4|\u17b5/gu;
  return title
    .normalize("NFC")
    .replaceAll(JOINER_MARK, " ")
    .replace(/\s/gu, " ")
    .replace(joinedEmoji, JOINER_MARK)
    .replace(invisible, "")
    .replaceAll(JOINER_MARK, "\u200d");
}

/** Never breaks a character or emoji. `maxBytes`: of UTF-8. */
export function shorten(name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  let cut = "";
  let bytes = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(name)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    cut += segment;
  }
  // One "character" may have thousands of combining marks.
  return cut === "" ? firstCodePoints(name, maxBytes) : cut;
}

/** Windows reserves these names with any extension. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}

function firstCodePoints(name: string, maxBytes: number): string {
  let cut = "";
  for (const character of name) {
    if (Buffer.byteLength(cut) + Buffer.byteLength(character) > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** A leading dot hides a file; Windows drops trailing dots and spaces. */
function trimEdges(name: string): string {
  return name.replace(/^[\s.]+|[\s.]+$/gu, "");
}

function withoutDevice(name: string): string {
  if (!isDeviceName(name) && !isDeviceName(`${name}.md`)) return name;
  const base = /^[^ .]+/.exec(name)?.[0] ?? "";
  return `${base}_${name.slice(base.length)}`;
}

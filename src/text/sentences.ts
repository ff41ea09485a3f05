/** Sentences and words in any language. */

/** `Intl.Segmenter` is slower than linear. */
const PIECE = 2_000;
const TAIL = 40;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** These end no sentence. */
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{Lu}|dr|mrs?|ms|prof|st|vs|cf|no|nr|fig|vol|inc|ltd|jr|sr|e\.g|i\.e|z\.\s?b|d\.\s?h|bzw|ca)\.$/iu;

let sentenceSegmenter: Intl.Segmenter | undefined;
let wordSegmenter: Intl.Segmenter | undefined;

export function sentencesOf(text: string): string[] {
  if (!mayHoldSeveral(text)) return text.trim() === "" ? [] : [text.trim()];
  sentenceSegmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const sentences: string[] = [];
  let start = 0;
  let at = 0;
  for (const piece of piecesOf(text))
    for (const { segment } of sentenceSegmenter.segment(piece)) {
      at += segment.length;
      // The last segment may continue in the next piece.
      if (!isClosed(text.slice(Math.max(start, at - TAIL), at).trimEnd()) || isInsideWord(text, at)) continue;
      sentences.push(text.slice(start, at).trim());
      start = at;
    }
  const rest = text.slice(start).trim();
  if (rest !== "") sentences.push(rest);
  return sentences.filter((sentence) => sentence !== "");
}

/** As in `example.org/?x=1`. */
const isInsideWord = (text: string, at: number): boolean =>
  /[.!?]/.test(text.charAt(at - 1)) && /[\w%&=/#?.-]/.test(text.charAt(at));

/** Most list items need no segmenter. */
function mayHoldSeveral(text: string): boolean {
  const end = text.search(/[.!?…。！？｡؟۔։]/u);
  return end !== -1 && /[\p{L}\p{N}]/u.test(text.slice(end + 1));
}

/** Between spaces, else of `Intl.Segmenter`. Stops above `most`. */
export function wordCount(text: string, most = Infinity): number {
  let count = 0;
  for (const [token] of text.matchAll(/\S+/gu)) {
    count += wordsIn(token, most - count);
    if (count > most) break;
  }
  return count;
}

export function firstWords(text: string, count: number): string {
  let words = 0;
  for (const { 0: token, index } of text.matchAll(/\S+/gu)) {
    const more = wordsIn(token, count - words);
    if (words + more > count) return text.slice(0, index + lengthOfWords(token, count - words)).trimEnd();
    words += more;
  }
  return text;
}

function isClosed(sentence: string): boolean {
  return /[.!?…。！？｡।؟۔։]["'”’»)\]」』）]*$/u.test(sentence) && !ABBREVIATED.test(sentence);
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + PIECE);
    if (end < text.length) {
      const blank = text.lastIndexOf(" ", end - 1);
      if (blank > at) end = blank + 1;
      else if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    }
    yield text.slice(at, end);
    at = end;
  }
}

function wordsIn(token: string, most: number): number {
  if (!UNSPACED.test(token)) return 1;
  let count = 0;
  for (const { isWordLike } of wordSegments(token)) {
    if (isWordLike) count += 1;
    if (count > most) break;
  }
  return Math.max(1, count);
}

/** Of the first `count` words of a token without spaces. */
function lengthOfWords(token: string, count: number): number {
  if (count === 0 || !UNSPACED.test(token)) return 0;
  let words = 0;
  let length = 0;
  for (const { segment, isWordLike } of wordSegments(token)) {
    if (isWordLike && ++words > count) break;
    length += segment.length;
  }
  return length;
}

function* wordSegments(token: string): Generator<Intl.SegmentData> {
  wordSegmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const piece of piecesOf(token)) yield* wordSegmenter.segment(piece);
}

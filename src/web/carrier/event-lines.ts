/** Reads server-sent events from a fetched response, because EventSource cannot send the session's key. */

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Comments, which keep a connection open, have neither name nor data. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const blocks = (rest + part.value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): ServerEvent {
  const fields = block.split(/\r?\n/).map((line) => /^([a-z]+): ?(.*)$/s.exec(line));
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ""] : []));
  return { event: valuesOf("event").at(-1) ?? "", data: valuesOf("data").join("\n") };
}

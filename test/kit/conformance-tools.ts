/** Tools the conformance suite calls by name; what they answer is prescribed by its scenarios. Some answer with more than text. */
import { setTimeout as sleep } from "node:timers/promises";
import { VaultError } from "../../src/errors.js";
import type { Feature } from "../../src/server/dispatch.js";
import { toolFeature, type ToolFeatureOptions } from "../../src/server/tool-methods.js";
import type { ToolBox } from "../../src/tools/registry.js";
import { defineTool, type Tool } from "../../src/tools/tool.js";

/** One red pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** One silent sample. */
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

const row = {
  toolset: "tasks",
  effect: "reads",
  failure: "",
  input: { type: "object", properties: {}, additionalProperties: false },
  output: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  text: ({ text }: { text: string }) => text,
} as const;

const simpleText = defineTool({
  ...row,
  name: "test_simple_text",
  title: "Simple text",
  description: "Answers with one text.",
  run: async () => ({ text: "This is a simple text response for testing." }),
});

const errorHandling = defineTool({
  ...row,
  name: "test_error_handling",
  title: "Error handling",
  description: "Always fails.",
  run: async () => {
    throw new VaultError("SERVER_ERROR", "This tool intentionally returns an error for testing");
  },
});

const withProgress = defineTool({
  ...row,
  name: "test_tool_with_progress",
  title: "Progress",
  description: "Reports progress three times.",
  async run(_, { onProgress }) {
    for (const done of [0, 50, 100]) {
      onProgress?.({ done, total: 100 });
      await sleep(50);
    }
    return { text: "Three reports were made." };
  },
});

const logging = defineTool({
  ...row,
  name: "test_logging_tool",
  title: "Logging",
  description: "Logs; the client must not hear of it.",
  async run(_, { log }) {
    log.error("A line of the server's own log");
    return { text: "A line was logged." };
  },
});

const streaming = defineTool({
  ...row,
  name: "test_streaming_elicitation",
  title: "Streaming",
  description: "Reports progress to a client that could be asked, and asks it nothing.",
  async run(_, { onProgress }) {
    onProgress?.({ done: 1, total: 2 });
    return { text: "Nothing was asked." };
  },
});

const SIMPLE: readonly Tool[] = [simpleText, errorHandling, withProgress, logging, streaming];

const image = { type: "image", data: PNG, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, text: string) => ({
  type: "resource",
  resource: { uri, mimeType, text },
});

/** What our own tools have no use for: images, sounds, resources inside an answer. */
const CONTENTS: Readonly<Record<string, readonly object[]>> = {
  test_image_content: [image],
  test_audio_content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  test_embedded_resource: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  test_multiple_content_types: [
    { type: "text", text: "Multiple content types test:" },
    image,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
};

/** Every keyword the suite wants to find again in the listing. As JSON, because an object with `then` would pass for a promise. */
const RICH_SCHEMA: unknown = JSON.parse(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`);

const EXTRA_LISTINGS = [
  ...Object.keys(CONTENTS).map((name) => ({
    name,
    description: "Answers with prescribed content.",
    inputSchema: row.input,
  })),
  { name: "json_schema_2020_12_tool", description: "Tool with JSON Schema 2020-12 features", inputSchema: RICH_SCHEMA },
];

export const conformanceTools: ToolBox = { tools: SIMPLE, find: (name) => SIMPLE.find((tool) => tool.name === name) };

/** The server's own way of listing and calling tools, and beside it the answers that hold more than text. */
export function conformanceToolFeature(options: ToolFeatureOptions): Feature {
  // The suite wants three reports within a tenth of a second; ours wait for a second otherwise.
  const own = toolFeature({ ...options, progress: { afterMs: 0, everyMs: 0 } });
  const { "tools/list": list, "tools/call": call } = own.methods;
  return {
    capabilities: own.capabilities,
    methods: {
      async "tools/list"(params, context) {
        const listed = (await list?.(params, context))?.["tools"];
        return { tools: [...(Array.isArray(listed) ? listed : []), ...EXTRA_LISTINGS] };
      },
      async "tools/call"(params, context) {
        const content = typeof params["name"] === "string" ? CONTENTS[params["name"]] : undefined;
        return content ? { content } : ((await call?.(params, context)) ?? {});
      },
    },
  };
}

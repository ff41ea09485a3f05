/** Resources, prompts and completions the conformance suite asks for by name; what they answer is prescribed by its scenarios. */
import { isRecord } from "../../src/text/decoded.js";
import type { Era, Feature, RpcResultBody } from "../../src/server/dispatch.js";
import { INVALID_PARAMS, RpcFailure } from "../../src/server/rpc.js";
import { PNG } from "./conformance-tools.js";

const TEXT = { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" };
const BINARY = { uri: "test://static-binary", name: "static-binary", description: "An image.", mimeType: "image/png" };
const WATCHED = {
  uri: "test://watched-resource",
  name: "watched",
  description: "To subscribe to.",
  mimeType: "text/plain",
};
const TEMPLATE = {
  uriTemplate: "test://template/{id}/data",
  name: "template",
  description: "Data by id.",
  mimeType: "application/json",
};

function read(uri: unknown, era: Era): RpcResultBody {
  const answer = (mimeType: string, content: object) => ({ contents: [{ uri, mimeType, ...content }] });
  if (uri === TEXT.uri) return answer(TEXT.mimeType, { text: "This is the content of the static text resource." });
  if (uri === BINARY.uri) return answer(BINARY.mimeType, { blob: PNG });
  if (uri === WATCHED.uri) return answer(WATCHED.mimeType, { text: "Watched." });
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(String(uri))?.[1];
  if (id !== undefined)
    return answer(TEMPLATE.mimeType, {
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    });
  throw new RpcFailure(era === "modern" ? INVALID_PARAMS : -32002, "Resource not found", { uri });
}

const resources: Feature = {
  capabilities: { resources: { subscribe: true } },
  methods: {
    "resources/list": async () => ({ resources: [TEXT, BINARY, WATCHED] }),
    "resources/templates/list": async () => ({ resourceTemplates: [TEMPLATE] }),
    "resources/read": async ({ uri }, { era }) => read(uri, era),
    "resources/subscribe": async () => ({}),
    "resources/unsubscribe": async () => ({}),
  },
};

interface FixturePrompt {
  readonly description: string;
  readonly arguments: readonly string[];
  content(given: Readonly<Record<string, unknown>>): readonly object[];
}

const text = (words: string) => ({ type: "text", text: words });

const PROMPTS: Readonly<Record<string, FixturePrompt>> = {
  test_simple_prompt: {
    description: "No arguments.",
    arguments: [],
    content: () => [text("This is a simple prompt for testing.")],
  },
  test_prompt_with_arguments: {
    description: "Two arguments.",
    arguments: ["arg1", "arg2"],
    content: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: "A resource in a message.",
    arguments: ["resourceUri"],
    content: ({ resourceUri: uri }) => [
      {
        type: "resource",
        resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      },
      text("Please process the embedded resource above."),
    ],
  },
  test_prompt_with_image: {
    description: "An image in a message.",
    arguments: [],
    content: () => [{ type: "image", data: PNG, mimeType: "image/png" }, text("Please analyze the image above.")],
  },
};

const prompts: Feature = {
  capabilities: { prompts: {} },
  methods: {
    "prompts/list": async () => ({
      prompts: Object.entries(PROMPTS).map(([name, { description, arguments: all }]) => ({
        name,
        description,
        arguments: all.map((argument) => ({ name: argument, description: "An argument.", required: true })),
      })),
    }),
    "prompts/get": async ({ name, arguments: given }) => {
      const prompt = typeof name === "string" ? PROMPTS[name] : undefined;
      if (!prompt) throw new RpcFailure(INVALID_PARAMS, "Unknown prompt");
      const contents = prompt.content(isRecord(given) ? given : {});
      return { messages: contents.map((content) => ({ role: "user", content })) };
    },
  },
};

const completions: Feature = {
  capabilities: { completions: {} },
  methods: {
    "completion/complete": async () => ({ completion: { values: ["paris", "park"], total: 2, hasMore: false } }),
  },
};

export const conformanceFeatures: readonly Feature[] = [resources, prompts, completions];

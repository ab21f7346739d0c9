#!/usr/bin/env node
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import { reader, tools } from './tools.mjs';

/* An MCP server on standard input and output: PULSEKEEP_URL=https://HOST PULSEKEEP_KEY=... node server.mjs */

const { PULSEKEEP_URL = 'http://127.0.0.1:3000', PULSEKEEP_KEY } = process.env;
const read = reader({ url: PULSEKEEP_URL, key: PULSEKEEP_KEY });
const server = new McpServer({ name: 'pulsekeep', version: '1.0.0' });

for (const tool of tools) {
  const { name, description, input } = tool;
  const inputSchema = Object.fromEntries(
    Object.entries(input).map(([parameter, { description: about, optional }]) => {
      const text = z.string().max(500).describe(about);
      return [parameter, optional ? text.optional() : text];
    }),
  );
  const annotations = { readOnlyHint: true, openWorldHint: false };
  server.registerTool(name, { description, inputSchema, annotations }, async (given) => {
    const { text, isError } = await read(tool, given);
    return { content: [{ type: 'text', text }], isError };
  });
}

await server.connect(new StdioServerTransport());

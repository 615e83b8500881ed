import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// `GATEWAY=http://127.0.0.1:4319 npx vite` serves the sources, with the data of the server at that address. The headers are
// set because the gateway rejects requests from other origins.
const gateway = process.env["GATEWAY"] ?? "http://127.0.0.1:4319";

// The file names are fixed because the server embeds the files. Its Content-Security-Policy forbids inline content.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  server: { proxy: { "/v1": { target: gateway, changeOrigin: true, headers: { origin: gateway, "sec-fetch-site": "same-origin" } } } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "console.js",
        chunkFileNames: "console-[name].js",
        assetFileNames: "console[extname]",
      },
    },
  },
});

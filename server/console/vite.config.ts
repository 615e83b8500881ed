import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// `GATEWAY=http://127.0.0.1:4319 npx vite` shows the sources against a server. The gateway refuses pages of other origins.
const gateway = process.env["GATEWAY"] ?? "http://127.0.0.1:4319";

// Fixed names, and nothing inline: the server has these files in it, and its Content-Security-Policy allows no other source.
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

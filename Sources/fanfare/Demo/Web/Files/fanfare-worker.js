// The address of the edge, as in settings.js: a service worker cannot read that file in every browser.
importScripts("http://127.0.0.1:8080/web/fanfare-worker.js");

/// @file view.h The server of the interactive viewer: a browser page that plays a result or controls a running scene.
/// Part of the library capstan-view. docs/reference/viewer-protocol.md describes its messages.
///
///     CpsViewOptions options = cps_view_options_default();
///     CpsView* view = NULL;
///     if (cps_view_create("tower.h5", &options, &view, NULL) != CPS_OK) return 1;
///     printf("%s\n", cps_view_url(view));
///     cps_view_run(view, NULL);
///     cps_view_destroy(view);
///
/// The thread that calls cps_view_run() serves all clients; a second thread, started by cps_view_create(), reads the
/// result or steps the simulation. Only that thread uses HDF5.
#ifndef CAPSTAN_VIEW_H
#define CAPSTAN_VIEW_H

#include "capstan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Events reported by a server.
typedef enum CpsViewEventKind {
  CPS_VIEW_CONNECTED = 0,     ///< a page connected
  CPS_VIEW_DISCONNECTED = 1,  ///< a page disconnected
  CPS_VIEW_REFUSED = 2,       ///< a request was rejected with an error other than "not found"
  CPS_VIEW_DROPPED = 3        ///< a connection was dropped because of what it sent, or because it did not read
} CpsViewEventKind;

/// An event.
typedef struct CpsViewEvent {
  CpsViewEventKind kind;  ///< kind of event
  int32_t clients;        ///< number of open pages
  const char* sentence;   ///< reason (refused, dropped), otherwise ""; valid during the call
} CpsViewEvent;

/// Called from the thread that runs the server.
typedef void (*CpsViewEventFn)(const CpsViewEvent* event, void* data);

/// Settings of a server. Always start from cps_view_options_default().
typedef struct CpsViewOptions {
  const char* address;           ///< numeric address to listen on; the URL then contains a random token. NULL:
                                 ///< 127.0.0.1 without a token. Default NULL
  int32_t port;                  ///< 1 to 65535; 0: any free port. Default 0
  int32_t ports;                 ///< number of ports to try in turn, starting at `port`, >= 1. Default 1
  int32_t clients_max;           ///< largest number of open pages, 1 to 256. Default 16
  int32_t threads;               ///< threads of a simulation; 0: as in the scene. Default 0
  const char* const* overrides;  ///< of a scene, as for cps_scene_load(); may be NULL. Default NULL
  int32_t override_count;        ///< number of overrides. Default 0
  bool once;                     ///< cps_view_run() returns one second after the last page closes. Default false
  bool embedded;                 ///< allow pages served by this machine (localhost or 127.0.0.1, any port) to show the
                                 ///< viewer in a frame, as notebooks do; the URL then contains a random token. Default
                                 ///< false
  CpsViewEventFn event;          ///< may be NULL. Default NULL
  void* event_data;              ///< passed to the callback. Default NULL
  int cookie;                    ///< set by the default function; catches a struct that was never initialised
} CpsViewOptions;

/// The defaults named above.
CPS_API CpsViewOptions cps_view_options_default(void);

/// Whether the library was built with the page. Without it a server only answers WebSockets.
CPS_API bool cps_view_has_page(void);

/// A server. Opaque.
typedef struct CpsView CpsView;

/// Opens a result or a scene and listens.
/// @return CPS_OK; CPS_BAD_ARGUMENT, also for a port in use or an address that is not this machine's; or the error of
/// opening the file
CPS_API CpsStatus cps_view_create(const char* path, const CpsViewOptions* options, CpsView** view, CpsError* error);
/// Closes all connections and frees everything. NULL is allowed.
CPS_API void cps_view_destroy(CpsView* view);
/// The port.
CPS_API int32_t cps_view_port(const CpsView* view);
/// The address of the page, with the token if there is one. Belongs to the server.
CPS_API const char* cps_view_url(const CpsView* view);
/// Serves until it is stopped.
CPS_API CpsStatus cps_view_run(CpsView* view, CpsError* error);
/// Makes cps_view_run() return soon, even if it has not been called yet. May be called from any thread and from a
/// signal handler.
CPS_API void cps_view_stop(CpsView* view);

#ifdef __cplusplus
}
#endif
#endif

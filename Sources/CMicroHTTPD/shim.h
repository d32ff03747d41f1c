#include <microhttpd.h>

// MHD_get_connection_info is variadic, so Swift cannot call it. This is what the notification of the connection's start stored.
static inline void *lockstep_microhttpd_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

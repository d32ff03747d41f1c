#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic and have no va_list form, so Swift cannot call them: one typed entry for each kind of argument.

static inline CURLcode lockstep_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lockstep_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lockstep_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lockstep_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lockstep_curl_set_receiver(CURL *handle, CURLoption option,
                                                  size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lockstep_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode lockstep_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

// CURLMsg holds its result in a union.
static inline CURLcode lockstep_curl_result(const CURLMsg *message) { return message->data.result; }
